/** A block on its slope, drawn in two dimensions. Only the way down the slope is magnified. */
import { svgElement } from "../../replay/elements.ts";
import { size } from "./slope.ts";

export interface SlopePicture {
  readonly root: SVGElement;
  /** Degrees, metres. */
  update(angle: number, moved: number, magnification: number): void;
}

const frame = { width: 440, height: 240 };
/** Pixels a metre. */
const scale = 260;
const block = { length: size[0] * scale, height: size[2] * scale };
/** Where the block starts: its lower left corner along the slope, from the pivot. */
const start = 40;
/** Pixels that the block may travel before it leaves the picture. */
const travel = 200;

/** The largest power of ten, 10,000 at most, with which a way still fits into the picture; at least 1. */
export function fittingMagnification(moved: number): number {
  let magnification = 1e4;
  while (magnification > 1 && Math.abs(moved) * scale * magnification > travel) magnification /= 10;
  return magnification;
}

export function createSlopePicture(name: string): SlopePicture {
  const root = svgElement("svg", {
    ...{ class: "picture", role: "img", "aria-label": `The block in ${name}, its drift magnified` },
    viewBox: `0 0 ${frame.width} ${frame.height}`,
  });
  return {
    root,
    update(angle, moved, magnification) {
      // a slope through the middle of the picture, falling to the right
      const tilted = svgElement("g", {
        transform: `translate(${frame.width / 2} 165) rotate(${angle}) translate(-200 0)`,
      });
      const way = moved * scale * magnification;
      tilted.append(
        svgElement("rect", { class: "ground", x: -400, y: 0, width: 1200, height: 700 }),
        svgElement("line", { class: "surface", x1: -400, x2: 800, y1: 0, y2: 0 }),
        svgElement("rect", { class: "start", x: start, y: -block.height, width: block.length, height: block.height }),
        svgElement("line", { class: "start", x1: start, x2: start, y1: 0, y2: 14 }),
        svgElement("rect", {
          class: "block",
          x: start + way,
          y: -block.height,
          width: block.length,
          height: block.height,
          rx: 3,
        }),
        svgElement("line", { class: "now", x1: start + way, x2: start + way, y1: 0, y2: 14 }),
      );
      root.replaceChildren(tilted);
    },
  };
}
