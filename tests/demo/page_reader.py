"""Read a page as a browser would, but strictly: unbalanced tags, doubled ids and references to elsewhere are noted."""

from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link", "col", "source"}
REFERENCES = {"src", "href", "xlink:href", "srcset", "action", "data", "poster"}


class PageReader(HTMLParser):
    """Collects what a test asks about."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.problems: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.headings: list[tuple[str, str]] = []
        self.labelled: list[str] = []
        self.pictures: list[dict[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.problems += [f"<{tag}> is never closed" for tag in self._open]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if len(found) != len(attributes):
            self.problems.append(f"<{tag}> has an attribute twice")
        self.tags.append(tag)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if found.get("aria-labelledby"):
            self.labelled.append(str(found["aria-labelledby"]))
        self.references += [str(value) for name, value in attributes if name in REFERENCES]
        if tag == "svg":
            self.pictures.append(found)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if tag in ("h1", "h2", "h3"):
            self.headings.append((tag, ""))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1] != tag:
            self.problems.append(f"</{tag}> closes <{self._open[-1] if self._open else 'nothing'}>")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.text.append(data)
        if self._open and self.headings and self.headings[-1][0] in self._open:
            tag, before = self.headings[-1]
            self.headings[-1] = (tag, before + data)
        if ("td" in self._open or "th" in self._open) and self.rows:
            self.rows[-1][-1] += data

    @property
    def cells(self) -> list[list[str]]:
        """The rows of all tables, each cell with its white space joined."""
        return [[" ".join(cell.split()) for cell in row] for row in self.rows]

    @property
    def words(self) -> str:
        """All the text of the page with its white space joined."""
        return " ".join(" ".join(self.text).split())
