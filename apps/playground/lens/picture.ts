/**
 * The box, the forces on it and where it is after the step, to scale. The arrow of the pushing force ends in a handle that can be
 * dragged, or moved by the arrow keys.
 */

import {
  type Direction,
  edge,
  exact,
  frictionCoefficient,
  gravity,
  mass,
} from "../../../experiments/gradient-comparison/box.ts";
import { svgElement } from "../../replay/elements.ts";
import { ranges } from "./settings.ts";

export interface Picture {
  readonly root: SVGElement;
  update(direction: Direction, force: number, displacement: number): void;
}

const size = { width: 380, height: 300 };
const floor = 252;
/** Pixels a metre, and pixels a newton. */
const scale = { length: 280, force: 4.6 };
const side = edge * scale.length;
/** Left side of the box. */
const left: Readonly<Record<Direction, number>> = { impact: (size.width - side) / 2, friction: 70 };

export function createPicture(push: (force: number) => void): Picture {
  const root = svgElement("svg", { class: "picture", viewBox: `0 0 ${size.width} ${size.height}` });
  const still = svgElement("g", {});
  const handle = svgElement("g", { class: "handle", tabindex: 0, role: "slider", "data-setting": "force-arrow" });
  handle.setAttribute("aria-label", "Force on the box");
  handle.setAttribute("aria-valuemin", String(ranges.force.low));
  handle.setAttribute("aria-valuemax", String(ranges.force.high));
  handle.append(svgElement("circle", { class: "reach", r: 24 }), svgElement("circle", { class: "grip", r: 10 }));
  root.append(still, handle);
  let direction: Direction = "impact";
  let force = 0;
  dragHandle();
  moveByKeys();
  return { root, update };

  function update(nextDirection: Direction, nextForce: number, displacement: number): void {
    direction = nextDirection;
    force = nextForce;
    const tip = tipOf(direction, force);
    handle.setAttribute("transform", `translate(${tip.x} ${tip.y})`);
    handle.setAttribute("aria-valuenow", String(force));
    handle.setAttribute("aria-valuetext", `${force.toFixed(2)} newtons`);
    handle.setAttribute("aria-orientation", direction === "impact" ? "vertical" : "horizontal");
    still.replaceChildren(...scene(direction, force, displacement));
  }

  function dragHandle(): void {
    let grabbed: number | undefined;
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      grabbed = along(event) - tipAlong();
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (grabbed === undefined) return;
      const reach = along(event) - grabbed - tailAlong();
      // up is where y is smaller
      push((direction === "impact" ? -reach : reach) / scale.force);
    });
    for (const end of ["pointerup", "pointercancel"] as const) {
      handle.addEventListener(end, () => {
        grabbed = undefined;
      });
    }
  }

  /** The pointer's place along the force, in units of the picture. */
  function along(event: PointerEvent): number {
    const { left: x, top: y, width } = root.getBoundingClientRect();
    const unit = size.width / width;
    return direction === "impact" ? (event.clientY - y) * unit : (event.clientX - x) * unit;
  }

  function tipAlong(): number {
    const tip = tipOf(direction, force);
    return direction === "impact" ? tip.y : tip.x;
  }

  function tailAlong(): number {
    const tail = tipOf(direction, 0);
    return direction === "impact" ? tail.y : tail.x;
  }

  function moveByKeys(): void {
    handle.addEventListener("keydown", (event) => {
      const stride = event.shiftKey ? 1 : 0.1;
      const moves: Readonly<Record<string, number>> = {
        ArrowUp: force + stride,
        ArrowRight: force + stride,
        ArrowDown: force - stride,
        ArrowLeft: force - stride,
        PageUp: force + 1,
        PageDown: force - 1,
        Home: ranges.force.low,
        End: ranges.force.high,
      };
      const asked = moves[event.key];
      if (asked === undefined) return;
      event.preventDefault();
      push(asked);
    });
  }
}

function tipOf(direction: Direction, force: number): { x: number; y: number } {
  const reach = scale.force * force;
  if (direction === "impact") return { x: left.impact + side / 2, y: floor - side - reach };
  return { x: left.friction + side + reach, y: floor - side / 2 };
}

function scene(direction: Direction, force: number, displacement: number): SVGElement[] {
  const at = left[direction];
  const bottom = at + side / 2;
  const shift = (metres: number): { x: number; y: number } => {
    const pixels = metres * scale.length;
    return direction === "impact" ? { x: at, y: floor - side - pixels } : { x: at + pixels, y: floor - side };
  };
  const boxAt = (metres: number, kind: string): SVGElement =>
    svgElement("rect", { class: kind, ...shift(metres), width: side, height: side, rx: 4 });
  const weight = mass * gravity;
  const held = direction === "impact" ? Math.max(0, weight - force) : weight;
  const rubbed = direction === "friction" ? Math.min(force, frictionCoefficient * weight) : 0;
  const centre = { x: at + side / 2, y: floor - side / 2 };
  const tail = tipOf(direction, 0);
  const tip = tipOf(direction, force);
  return [
    svgElement("line", { class: "floor", x1: 0, x2: size.width, y1: floor, y2: floor }),
    boxAt(0, "box"),
    boxAt(displacement, "next-smooth"),
    boxAt(exact(direction, force).displacement, "next-hard"),
    ...arrow("weight", centre, { x: centre.x, y: centre.y + scale.force * weight }),
    ...arrow("reaction", { x: bottom + 22, y: floor }, { x: bottom + 22, y: floor - scale.force * held }),
    ...arrow("reaction", { x: bottom, y: floor + 8 }, { x: bottom - scale.force * rubbed, y: floor + 8 }),
    ...arrow("force", tail, tip),
    words(
      `${force.toFixed(2)} N`,
      direction === "impact" ? { x: tip.x + 20, y: tip.y + 5 } : { x: tip.x, y: tip.y - 20 },
    ),
    words("weight", { x: centre.x - 54, y: centre.y + 26 }, "soft"),
    ...(held > 0 ? [words("floor", { x: bottom + 32, y: floor - 8 }, "soft")] : []),
    ...(rubbed > 0 ? [words("friction", { x: bottom + 8, y: floor + 20 }, "soft")] : []),
  ];
}

/** A line with a head, left out when it is too short to see. */
function arrow(kind: string, tail: { x: number; y: number }, tip: { x: number; y: number }): SVGElement[] {
  const length = Math.hypot(tip.x - tail.x, tip.y - tail.y);
  if (length < 0.5) return [];
  const [ux, uy] = [(tip.x - tail.x) / length, (tip.y - tail.y) / length];
  const head = Math.min(9, length);
  const neck = { x: tip.x - ux * head, y: tip.y - uy * head };
  const wing = 0.5 * head;
  const points = [
    [tip.x, tip.y],
    [neck.x - uy * wing, neck.y + ux * wing],
    [neck.x + uy * wing, neck.y - ux * wing],
  ];
  return [
    svgElement("line", { class: `arrow ${kind}`, x1: tail.x, y1: tail.y, x2: neck.x, y2: neck.y }),
    svgElement("polygon", { class: `head ${kind}`, points: points.map((point) => point.join(",")).join(" ") }),
  ];
}

function words(text: string, at: { x: number; y: number }, kind = ""): SVGElement {
  const label = svgElement("text", { class: kind, ...at });
  label.textContent = text;
  return label;
}
