/**
 * The <hfield> assets of a file: a table of elevations over a rectangle. The file lists rows from the largest y to the least, and its
 * numbers are spread over 0 to the third entry of `size`, whatever they are; a description has rows from the least y, in metres.
 */
import { MOST_HEIGHTS, type Shape } from "../../mechanism/index.ts";
import {
  attributeError,
  elementError,
  readNumberList,
  readNumbers,
  readPositive,
  required,
  type XmlElement,
} from "../xml.ts";
import type { ImportContext } from "./importContext.ts";
import type { MjGeom } from "./model.ts";

type HeightField = Omit<Extract<Shape, { kind: "heightField" }>, "position" | "orientation">;

/** Undefined, with a warning, where the elevations are in a file. */
export function heightFieldOf(geom: MjGeom, { document, ledger }: ImportContext): HeightField | undefined {
  const name = geom.element.attributes.get("hfield");
  const element = document
    .section("asset")
    .find((asset) => asset.name === "hfield" && asset.attributes.get("name") === name);
  if (!element) throw attributeError(geom.element, "hfield", "is no <hfield> of the file; add it to <asset>");
  ledger.addAttributes(element, ["size", "nrow", "ncol", "elevation", "file", "content_type"]);
  if (element.attributes.has("file")) {
    const wayOut = "write its numbers as elevation, with nrow and ncol";
    ledger.add("not-expressible", geom.element, `elevations in files are not read, nothing touches it; ${wayOut}`);
    return undefined;
  }
  const rows = wholeNumber(element, "nrow");
  const columns = wholeNumber(element, "ncol");
  if (rows * columns > MOST_HEIGHTS) {
    throw elementError(element, `has ${rows} × ${columns} heights, more than ${MOST_HEIGHTS}; take a wider grid`);
  }
  const [halfX, halfY, top] = required((one, attribute) => readNumbers(one, attribute, 4), element, "size");
  if (!(halfX > 0 && halfY > 0 && top > 0)) throw attributeError(element, "size", "must be above 0");
  const given = readNumberList(element, "elevation") ?? new Array<number>(rows * columns).fill(0);
  if (given.length !== rows * columns) {
    throw attributeError(element, "elevation", `has ${given.length} numbers for ${rows} rows of ${columns}`);
  }
  const least = given.reduce((low, entry) => Math.min(low, entry));
  const range = given.reduce((high, entry) => Math.max(high, entry)) - least;
  const heights = Array.from({ length: rows }, (_, row) =>
    given
      .slice((rows - 1 - row) * columns, (rows - row) * columns)
      .map((entry) => (range > 0 ? (top * (entry - least)) / range : 0)),
  );
  return { kind: "heightField", size: [2 * halfX, 2 * halfY], heights };
}

function wholeNumber(element: XmlElement, name: string): number {
  const count = required(readPositive, element, name);
  if (Number.isInteger(count) && count >= 2) return count;
  throw elementError(element, `${name}="${count}": a height field has two rows and two columns or more`);
}
