/**
 * What a request needs and the engine can do without until then: what reads files, a quarter of the engine, is loaded when the first are
 * given, and what finds gradients when their arrows are first asked for.
 */
import type { Request } from "../protocol.ts";
import type { ReadRequest } from "./session.ts";

/** The request with the robot in place of its files, or with what finds its arrows; any other as it is. */
export async function readRequest(request: Request): Promise<ReadRequest> {
  if (request.kind === "arrows") {
    if (!request.arrows) return { kind: "arrows", arrows: null };
    const { gradientArrows } = await import("./gradientArrows.ts");
    return { kind: "arrows", arrows: { ...request.arrows, find: gradientArrows } };
  }
  if (request.kind !== "load") return request;
  const { source, ...rest } = request.choice;
  if (source.kind !== "files") return { kind: "load", choice: { source, ...rest } };
  const { loadRobot } = await import("./robotFiles.ts");
  const robot = loadRobot(source.files, rest.collisions);
  return { kind: "load", choice: { source: { kind: "robot", robot }, ...rest } };
}
