/** Shapes of bodies as meshes. */
import type { Shape } from "dojo-sim";
import {
  type BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  SphereGeometry,
  Vector3,
} from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";

/** For shapes without a colour of their own, body by body. */
const palette = ["#5b8db8", "#e08e45", "#6aa06a", "#b56576", "#8d7bb5", "#c9a24b"];

export function bodyGroup(name: string, shapes: readonly Shape[], index: number): Group {
  const group = new Group();
  group.name = name;
  for (const shape of shapes) group.add(shapeMesh(shape, palette[index % palette.length]));
  return group;
}

function shapeMesh(shape: Shape, fallback: string): Mesh {
  const { color, opacity } = cssColor(shape.color ?? fallback);
  const material = new MeshStandardMaterial({ color, roughness: 0.62, metalness: 0.05 });
  if (opacity < 1) Object.assign(material, { transparent: true, opacity, depthWrite: false });
  const mesh = new Mesh(geometryOf(shape), material);
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  if (shape.kind === "ellipsoid") mesh.scale.set(...shape.radii);
  if (shape.position) mesh.position.set(...shape.position);
  if (shape.orientation) {
    const [w, x, y, z] = shape.orientation;
    mesh.quaternion.set(x, y, z, w);
  }
  return mesh;
}

/** Capsules and cylinders lie along z here, along y in three.js. */
function geometryOf(shape: Shape): BufferGeometry {
  switch (shape.kind) {
    case "box":
      return new RoundedBoxGeometry(...shape.size, 2, 0.04 * Math.min(...shape.size));
    case "sphere":
      return new SphereGeometry(shape.radius, 32, 20);
    case "capsule":
      return new CapsuleGeometry(shape.radius, shape.length, 10, 24).rotateX(Math.PI / 2);
    case "cylinder":
      return new CylinderGeometry(shape.radius, shape.radius, shape.length, 36).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new SphereGeometry(1, 32, 20);
    case "hull":
      return new ConvexGeometry(shape.points.map((point) => new Vector3(...point)));
    case "halfSpace":
      return new PlaneGeometry(EXPANSE, EXPANSE);
    case "heightField":
      return terrain(shape.size, shape.heights);
  }
}

/** Side of the square that stands for a half-space, m. */
const EXPANSE = 20;

/** Triangles over a grid of heights, rows along x. */
function terrain(size: readonly [number, number], heights: readonly (readonly number[])[]): BufferGeometry {
  const [columns, rows] = [heights[0].length, heights.length];
  const geometry = new PlaneGeometry(size[0], size[1], columns - 1, rows - 1);
  // vertices of a plane go row by row along x, from the largest y to the least
  const places = geometry.getAttribute("position");
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) places.setZ(j * columns + i, heights[rows - 1 - j][i]);
  }
  geometry.computeVertexNormals();
  return geometry;
}

/** Any CSS colour, read by the browser itself; one that it cannot read is grey. */
function cssColor(css: string): { color: Color; opacity: number } {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!context) return { color: new Color("#999999"), opacity: 1 };
  context.fillStyle = "#999999";
  context.fillStyle = css;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
  return { color: new Color(`rgb(${r}, ${g}, ${b})`), opacity: a / 255 };
}
