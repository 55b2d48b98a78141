/**
 * Pictures of a mechanism without a browser: rays through every pixel, one light, a floor of tiles with shadows. A picture depends on the
 * scene, the state and the camera alone, and is the same to the bit on every machine.
 *   const scene = sceneOf(mechanism);
 *   const { pixels } = pictureOf(scene, state, cameraOf(scene, state), { width: 480, height: 480 });
 * Each part is looked for only within the square that the sphere around it covers, and its shadow only within that of the shadow's.
 */
import { bodyStateSize, poseSize, type Quaternion, quaternion, type Vector3, vector } from "../math/index.ts";
import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { Camera } from "./camera.ts";
import { partOf, type Scene, type ScenePart } from "./scene.ts";

/** A ball that no body carries: a goal, say. */
export interface Mark {
  readonly position: Vector3;
  /** Metres. */
  readonly radius: number;
  /** Default red. */
  readonly color?: string;
}

export interface PictureOptions {
  /** Pixels. Default 480 both. */
  readonly width?: number;
  readonly height?: number;
  /** Rays per pixel and direction: 2 are four rays, and smooth edges. Default 2. */
  readonly samples?: number;
  /** Default none. */
  readonly marks?: readonly Mark[];
}

const optionNames = optionNamesOf<PictureOptions>()("width height samples marks");

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, row after row from the top. */
  readonly pixels: Uint8Array;
}

const toLight = vector.normalize([0.35, -0.55, 0.9]);
const ambient = 0.45;
const sky: Vector3 = [0.93, 0.95, 0.97];
const tiles: readonly [Vector3, Vector3] = [
  [0.8, 0.82, 0.84],
  [0.72, 0.74, 0.77],
];
const shadow = 0.72;
const largest = 4096;

export function pictureOf(scene: Scene, state: Float64Array, camera: Camera, options: PictureOptions = {}): Picture {
  requireOptionNames("options", options, optionNames);
  const { width = 480, height = 480, samples = 2, marks = [] } = options;
  requireSize("width", width, largest);
  requireSize("height", height, largest);
  requireSize("samples", samples, 4);
  const film = new Film(camera, width * samples, height * samples);
  const placed = [...scene.parts.map((part) => place(part, state)), ...marks.map(placedMark)];
  if (scene.floor !== undefined) film.layFloor(scene.floor, camera);
  if (scene.floor !== undefined) for (const part of placed) film.castShadow(part, scene.floor);
  for (const part of placed) film.draw(part);
  return { width, height, pixels: film.developed(width, height, samples) };
}

/** A part where its body has it. */
interface Placed {
  readonly part: ScenePart;
  readonly centre: Vector3;
  readonly orientation: Quaternion;
}

function place(part: ScenePart, state: Float64Array): Placed {
  if (part.body < 0) return { part, centre: part.position, orientation: part.orientation };
  const at = bodyStateSize * part.body;
  const [x, y, z, w, i, j, k] = state.subarray(at, at + poseSize);
  const turned: Quaternion = [w, i, j, k];
  const centre = vector.add([x, y, z], quaternion.rotate(turned, part.position));
  return { part, centre, orientation: quaternion.multiply(turned, part.orientation) };
}

function placedMark({ position, radius, color = "#d62828" }: Mark): Placed {
  const part = partOf({ kind: "sphere", radius, color }, 0);
  return { part, centre: position, orientation: quaternion.identity };
}

class Film {
  private readonly width: number;
  private readonly height: number;
  private readonly eye: Vector3;
  /** Ray of column i and row j: corner + i right + j down. */
  private readonly corner: Vector3;
  private readonly right: Vector3;
  private readonly down: Vector3;
  private readonly forward: Vector3;
  private readonly scale: number;
  private readonly depth: Float64Array;
  private readonly colors: Float64Array;
  // of the ray at hand, in the frame of the part at hand
  private readonly o = new Float64Array(3);
  private readonly d = new Float64Array(3);
  private readonly normal = new Float64Array(3);

  constructor({ eye, target, tangent }: Camera, width: number, height: number) {
    this.width = width;
    this.height = height;
    this.eye = eye;
    this.forward = vector.normalize(vector.sub(target, eye));
    const aside = vector.normalize(vector.cross(this.forward, [0, 0, 1]));
    const up = vector.cross(aside, this.forward);
    const step = (2 * tangent) / height;
    this.scale = 1 / step;
    this.right = vector.scale(aside, step);
    this.down = vector.scale(up, -step);
    const toCorner = vector.add(vector.scale(this.right, 0.5 - width / 2), vector.scale(this.down, 0.5 - height / 2));
    this.corner = vector.add(this.forward, toCorner);
    this.depth = new Float64Array(width * height).fill(Number.POSITIVE_INFINITY);
    this.colors = new Float64Array(3 * width * height);
    for (let i = 0; i < this.colors.length; i++) this.colors[i] = sky[i % 3];
  }

  /** Tiles of a metre or of a tenth, as the distance asks for, that fade into the sky. */
  layFloor(floor: number, { target }: Camera): void {
    const { width, height, depth, colors, eye, corner, right, down } = this;
    const distance = Math.sqrt(vector.dot(vector.sub(target, eye), vector.sub(target, eye)));
    const tile = distance > 2 ? 0.5 : 0.1;
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const dz = corner[2] + column * right[2] + row * down[2];
        const t = (floor - eye[2]) / dz;
        if (!(t > 0 && t < Number.POSITIVE_INFINITY)) continue;
        const x = eye[0] + t * (corner[0] + column * right[0] + row * down[0]);
        const y = eye[1] + t * (corner[1] + column * right[1] + row * down[1]);
        const color = tiles[(Math.floor(x / tile) + Math.floor(y / tile)) & 1];
        const clear = 1 / (1 + (t * t) / (36 * distance * distance));
        const at = row * width + column;
        depth[at] = t;
        for (let k = 0; k < 3; k++) colors[3 * at + k] = sky[k] + clear * (color[k] - sky[k]);
      }
    }
  }

  /** Darkens the floor where the part is between it and the light. Called before any part is drawn. */
  castShadow(placed: Placed, floor: number): void {
    const { depth, colors, o, d, normal } = this;
    const { part, centre, orientation } = placed;
    const above = centre[2] - floor;
    if (above < -part.radius) return;
    const foot = vector.sub(centre, vector.scale(toLight, above / toLight[2]));
    const back = quaternion.conjugate(orientation);
    d.set(quaternion.rotate(back, toLight));
    this.overSquare(foot, part.radius / toLight[2], (at, x, y, z) => {
      const t = depth[at];
      if (t === Number.POSITIVE_INFINITY || colors[3 * at] < 0) return;
      const { eye } = this;
      const point: Vector3 = [eye[0] + t * x, eye[1] + t * y, eye[2] + t * z];
      o.set(quaternion.rotate(back, vector.sub(point, centre)));
      // a mark that a second part finds
      if (part.solid(o, d, normal) < Number.POSITIVE_INFINITY) colors[3 * at] = -colors[3 * at];
    });
  }

  draw({ part, centre, orientation }: Placed): void {
    const { depth, colors, o, d, normal, eye } = this;
    const back = quaternion.conjugate(orientation);
    const origin = quaternion.rotate(back, vector.sub(eye, centre));
    const light = quaternion.rotate(back, toLight);
    const rows = matrixOf(back);
    this.overSquare(centre, part.radius, (at, x, y, z) => {
      o.set(origin);
      for (let k = 0; k < 3; k++) d[k] = rows[3 * k] * x + rows[3 * k + 1] * y + rows[3 * k + 2] * z;
      const t = part.solid(o, d, normal);
      if (!(t < depth[at])) return;
      depth[at] = t;
      const length = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      const facing = (normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2]) / length;
      const brightness = ambient + (1 - ambient) * Math.max(0, facing);
      for (let k = 0; k < 3; k++) colors[3 * at + k] = brightness * part.color[k];
    });
  }

  /** Means over the rays of each pixel, 0 to 255. */
  developed(width: number, height: number, samples: number): Uint8Array {
    const { colors } = this;
    const pixels = new Uint8Array(3 * width * height);
    const weight = 255 / (samples * samples);
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        let [red, green, blue] = [0, 0, 0];
        for (let j = 0; j < samples; j++) {
          for (let i = 0; i < samples; i++) {
            const at = 3 * ((row * samples + j) * this.width + column * samples + i);
            const share = colors[at] < 0 ? shadow : 1;
            red += share * Math.abs(colors[at]);
            green += share * colors[at + 1];
            blue += share * colors[at + 2];
          }
        }
        const at = 3 * (row * width + column);
        pixels[at] = Math.min(255, Math.floor(red * weight + 0.5));
        pixels[at + 1] = Math.min(255, Math.floor(green * weight + 0.5));
        pixels[at + 2] = Math.min(255, Math.floor(blue * weight + 0.5));
      }
    }
    return pixels;
  }

  /** All rays of the square that a sphere covers, by their place and direction. */
  private overSquare(
    centre: Vector3,
    radius: number,
    visit: (at: number, x: number, y: number, z: number) => void,
  ): void {
    const { eye, forward, scale, width, height, corner, right, down } = this;
    const away = vector.sub(centre, eye);
    const ahead = vector.dot(away, forward);
    let [left, last, top, bottom] = [0, width - 1, 0, height - 1];
    // a sphere that reaches behind the eye may be everywhere
    if (ahead > radius) {
      // where planes through the eye touch the sphere, in columns and in rows
      const [across, below] = [vector.dot(away, right) * scale, vector.dot(away, down) * scale];
      const touching = (x: number): readonly [number, number] => {
        const root = radius * Math.sqrt(x * x + ahead * ahead - radius * radius);
        const over = scale / (ahead * ahead - radius * radius);
        return [(x * ahead - root) * over, (x * ahead + root) * over];
      };
      const [columns, rows] = [touching(across), touching(below)];
      left = Math.max(left, Math.floor(columns[0] + width / 2 - 1));
      last = Math.min(last, Math.ceil(columns[1] + width / 2));
      top = Math.max(top, Math.floor(rows[0] + height / 2 - 1));
      bottom = Math.min(bottom, Math.ceil(rows[1] + height / 2));
    } else if (ahead < -radius) return;
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= last; column++) {
        const x = corner[0] + column * right[0] + row * down[0];
        const y = corner[1] + column * right[1] + row * down[1];
        const z = corner[2] + column * right[2] + row * down[2];
        visit(row * width + column, x, y, z);
      }
    }
  }
}

/** Rows of the matrix that turns as the quaternion does. */
function matrixOf(q: Quaternion): number[] {
  const columns = [quaternion.rotate(q, [1, 0, 0]), quaternion.rotate(q, [0, 1, 0]), quaternion.rotate(q, [0, 0, 1])];
  return [0, 1, 2].flatMap((row) => columns.map((column) => column[row]));
}

function requireSize(path: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw new ArgumentError("out-of-range", path, `${value}: give a whole number from 1 to ${most}`);
}
