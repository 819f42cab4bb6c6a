#!/usr/bin/env bash
# Prints the targets of the Makefile, each with the sentence that stands behind it.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "make TARGET, where TARGET is one of"
sed -n 's/^\([a-z-]*\):.*## \(.*\)$/\1\t\2/p' Makefile | while IFS=$'\t' read -r target sentence; do
    printf '  %-18s %s\n' "$target" "$sentence"
done
