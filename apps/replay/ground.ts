/** The floor, slopes and walls: every half-space of the world, as a plane with a grid. */
import type { ReplayContact, Shape } from "dojo-sim";
import {
  CanvasTexture,
  DoubleSide,
  Group,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  RepeatWrapping,
  SRGBColorSpace,
  Vector3,
} from "three";
import type { Extent } from "./extent.ts";
import type { SceneColors } from "./theme.ts";

interface Plane {
  readonly normal: Vector3;
  readonly offset: number;
}

/** Without a half-space there is still something to see the height by, somewhat below the lowest body and what is fixed, whose lowest is `lowest`. */
export function planesOf(
  contacts: readonly ReplayContact[],
  world: readonly Shape[],
  extent: Extent,
  lowest: number,
): Plane[] {
  const planes: Plane[] = [];
  const add = (plane: Plane): void => {
    const isKnown = planes.some(
      (p) => p.normal.distanceTo(plane.normal) < 1e-6 && Math.abs(p.offset - plane.offset) < 1e-6,
    );
    if (!isKnown) planes.push(plane);
  };
  for (const { other, normal, offset } of contacts)
    if (other < 0) add({ normal: new Vector3(...normal).normalize(), offset: offset / Math.hypot(...normal) });
  for (const { kind, position = [0, 0, 0], orientation = [1, 0, 0, 0] } of world) {
    if (kind !== "halfSpace") continue;
    const [w, x, y, z] = orientation;
    const normal = new Vector3(0, 0, 1).applyQuaternion(new Quaternion(x, y, z, w).normalize());
    add({ normal, offset: normal.dot(new Vector3(...position)) });
  }
  if (planes.length === 0)
    planes.push({ normal: new Vector3(0, 0, 1), offset: Math.min(extent.box.min.z, lowest) - 0.1 * extent.radius });
  return planes;
}

/** A grid of 1 m, or finer or coarser with the scene. */
export function groundGroup(planes: readonly Plane[], extent: Extent): Group {
  const group = new Group();
  const cell = 10 ** Math.round(Math.log10(extent.radius / 1.5));
  planes.forEach((plane, index) => {
    // the first one, and every other that lies flat, has no end; slopes beside it and walls have
    const endless = index === 0 || plane.normal.z > 0.999;
    const cells = endless ? 240 : Math.max(4, 2 * Math.ceil((1.5 * extent.radius) / cell));
    group.add(planeMesh(plane, extent, cell, cells, endless));
  });
  return group;
}

function planeMesh({ normal, offset }: Plane, extent: Extent, cell: number, cells: number, endless: boolean): Mesh {
  const geometry = new PlaneGeometry(cells * cell, cells * cell);
  const material = new MeshStandardMaterial({ roughness: 0.95, metalness: 0 });
  if (!endless) Object.assign(material, { transparent: true, opacity: 0.75, side: DoubleSide });
  // the plane hides what is behind it, and a contact's own point lies on it
  Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  const mesh = new Mesh(geometry, material);
  mesh.receiveShadow = true;
  mesh.userData.cells = cells;
  mesh.userData.level = endless && normal.z > 0.999;
  mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
  mesh.userData.placeBelow = (center: Vector3): void => {
    // at whole cells, so that lines stand at round numbers
    const along = center.clone().addScaledVector(normal, -normal.dot(center));
    const snapped = new Vector3(Math.round(along.x / cell) * cell, Math.round(along.y / cell) * cell, along.z);
    mesh.position.copy(normal.z > 0.999 ? snapped.setZ(0) : along).addScaledVector(normal, offset);
  };
  mesh.userData.placeBelow(extent.center);
  return mesh;
}

/** Floors without end go where the view goes. */
export function moveGround(group: Group, center: Vector3): void {
  for (const { userData } of group.children) if (userData.level) userData.placeBelow(center);
}

export function paintGround(group: Group, colors: SceneColors): void {
  for (const child of group.children) {
    if (!(child instanceof Mesh)) continue;
    const material = child.material as MeshStandardMaterial;
    material.map?.dispose();
    material.map = gridTexture(colors, child.userData.cells);
    material.needsUpdate = true;
  }
}

function gridTexture(colors: SceneColors, cells: number): CanvasTexture {
  const size = 256;
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  const context = canvas.getContext("2d");
  if (context) {
    context.fillStyle = colors.floor;
    context.fillRect(0, 0, size, size);
    context.strokeStyle = colors.line;
    context.lineWidth = 3;
    context.strokeRect(0, 0, size, size);
    // fifths, fainter
    context.globalAlpha = 0.45;
    context.lineWidth = 1.5;
    for (let k = 1; k < 5; k++) {
      const at = (k * size) / 5;
      context.beginPath();
      context.moveTo(at, 0);
      context.lineTo(at, size);
      context.moveTo(0, at);
      context.lineTo(size, at);
      context.stroke();
    }
  }
  const texture = new CanvasTexture(canvas);
  texture.wrapS = RepeatWrapping;
  texture.wrapT = RepeatWrapping;
  texture.repeat.set(cells, cells);
  texture.anisotropy = 8;
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
