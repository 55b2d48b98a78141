/** What scenes have in common: bodies that touch, on joints that leave them free, and the ground. */
import { quaternion, vector } from "../../math/index.ts";
import {
  type BodyDescription,
  floating,
  type JointDescription,
  type JointStateDescription,
  type Quaternion,
  type Shape,
  type SurfaceDescription,
  type Vector3,
} from "../../mechanism/index.ts";

/** A body all of whose shapes touch others. */
export function touching(body: BodyDescription, surface: SurfaceDescription): BodyDescription {
  return { ...body, shapes: (body.shapes ?? []).map((shape) => ({ ...shape, contact: surface })) };
}

/** The floor z ≤ 0. */
export function ground(surface: SurfaceDescription): Shape {
  return { kind: "halfSpace", contact: surface };
}

/** Four walls on the floor around a square of the given inner width. */
export function walls([width, height, thickness]: Vector3, surface: SurfaceDescription, opacity: number): Shape[] {
  const out = (width + thickness) / 2;
  const wall = (x: number, y: number): Shape => ({
    kind: "box",
    size: x === 0 ? [width + 2 * thickness, thickness, height] : [thickness, width, height],
    position: [x, y, height / 2],
    color: `rgba(120, 130, 140, ${opacity})`,
    contact: surface,
  });
  return [wall(out, 0), wall(-out, 0), wall(0, out), wall(0, -out)];
}

/** A body that starts free, somewhere. */
export interface Piece {
  readonly name: string;
  readonly body: BodyDescription;
  readonly position: Vector3;
  /** Default upright. */
  readonly orientation?: Quaternion;
}

/** Bodies of free pieces, and the joint of each, which has the body's name. */
export function freeBodies(pieces: readonly Piece[]): {
  readonly bodies: Record<string, BodyDescription>;
  readonly joints: Record<string, JointDescription>;
} {
  return {
    bodies: Object.fromEntries(pieces.map(({ name, body }) => [name, body])),
    joints: Object.fromEntries(pieces.map(({ name }) => [name, floating({ parent: "world", child: name })])),
  };
}

/** Where pieces are; `moved` says where each is instead, and how it moves. */
export function placed(
  pieces: readonly Piece[],
  moved: (
    piece: Piece,
    index: number,
  ) => { readonly position?: Vector3; readonly velocity?: readonly number[] } = () => ({}),
): Record<string, JointStateDescription> {
  return Object.fromEntries(
    pieces.map((piece, i): [string, JointStateDescription] => {
      const { position = piece.position, velocity } = moved(piece, i);
      const turned = quaternion.toRotationVector(piece.orientation ?? quaternion.identity);
      return [piece.name, { position: [...position, ...turned], ...(velocity && { velocity }) }];
    }),
  );
}

/** All pieces higher by a share of their height. */
export function lifted(pieces: readonly Piece[], share: number): Record<string, JointStateDescription> {
  return placed(pieces, ({ position }) => ({ position: vector.add(position, [0, 0, share * position[2]]) }));
}
