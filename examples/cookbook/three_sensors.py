"""Join three sensors: a row for each temperature, with the latest humidity and the latest pressure.

The sensors have their own pace. `with_latest_from` lets the first one lead and remembers the newest of the others; to
let each of them make a row, take `combine_latest`, and to pair the n-th readings, `zip_with`. The clock is virtual, so
that the program prints the same each time.

Prints:
    [211: on_next((20.5, 40, 1013)), 231: on_next((21.0, 42, 1013)), 251: on_next((21.5, 42, 1009))]
"""

from reactivestreams import Stream
from reactivestreams.testing import TestScheduler, on_next

scheduler = TestScheduler()
temperature = scheduler.create_hot(on_next(210, 20.5), on_next(230, 21.0), on_next(250, 21.5))
humidity = scheduler.create_hot(on_next(205, 40), on_next(220, 42))
pressure = scheduler.create_hot(on_next(206, 1013), on_next(240, 1009))

rows = scheduler.start(lambda: Stream.from_publisher(temperature).with_latest_from(humidity, pressure))
print(rows.messages)
