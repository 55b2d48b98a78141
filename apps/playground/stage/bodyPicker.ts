/**
 * Drags bodies with the pointer. The point under it is held by a spring whose other end moves in the plane through that point that faces
 * the camera. Where there is no body, the camera's own controls have the pointer; a click there is one on the floor.
 */
import { Matrix4, Plane, Raycaster, Vector2, Vector3 } from "three";
import type { View } from "../../replay/view.ts";
import type { Pull } from "../protocol.ts";

export interface PickerActions {
  /** A body was touched. */
  pick(body: number): void;
  /** It is being dragged; null ends it. */
  pull(pull: Pull | null): void;
  /** The level floor was clicked, at x and y. Default: nothing happens. */
  place?(x: number, y: number): void;
}

/** A pointer that moves less than this between down and up has clicked: pixels. */
const clickSlack = 6;
/** Places farther away than this many radii of the scene were not meant. */
const farthest = 60;

type Triple = [number, number, number];

/** Returns what takes the listeners away again. */
export function attachBodyPicker(view: View, actions: PickerActions): () => void {
  const { canvas, camera, controls } = view;
  const raycaster = new Raycaster();
  const pointer = new Vector2();
  const plane = new Plane();
  const target = new Vector3();
  const signal = new AbortController();
  const floor = new Plane(new Vector3(0, 0, 1), -view.floorHeight);
  let pressed: { readonly x: number; readonly y: number; readonly pointer: number } | undefined;
  let held: { readonly body: number; readonly point: Triple; readonly pointer: number } | undefined;

  const aim = (event: PointerEvent): void => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    pointer.set((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    camera.updateMatrixWorld();
    raycaster.setFromCamera(pointer, camera);
  };
  const bodyUnder = (event: PointerEvent): { body: number; place: Vector3 } | undefined => {
    aim(event);
    const [hit] = raycaster.intersectObjects([...view.bodies], true);
    const body = hit ? view.bodies.findIndex((group) => group.children.includes(hit.object)) : -1;
    return hit && body >= 0 ? { body, place: hit.point } : undefined;
  };
  const click = (event: PointerEvent): void => {
    const moved = pressed ? Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) : clickSlack;
    if (pressed?.pointer !== event.pointerId || moved >= clickSlack) return;
    aim(event);
    const place = raycaster.ray.intersectPlane(floor, target);
    if (place && place.distanceTo(camera.position) < farthest * view.radius) actions.place?.(place.x, place.y);
  };
  const release = (): void => {
    pressed = undefined;
    if (!held) return;
    held = undefined;
    controls.enabled = true;
    actions.pull(null);
  };
  const listen = (
    type: "pointerdown" | "pointermove" | "pointerup" | "pointercancel",
    heard: (event: PointerEvent) => void,
  ): void => {
    // before the camera's controls, which listen on the canvas itself
    canvas.parentElement?.addEventListener(type, heard, { capture: true, signal: signal.signal });
  };

  listen("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary || event.target !== canvas) return;
    const found = bodyUnder(event);
    if (!found) {
      pressed = { x: event.clientX, y: event.clientY, pointer: event.pointerId };
      return;
    }
    const inBody = new Matrix4().copy(view.bodies[found.body].matrixWorld).invert();
    const local = found.place.clone().applyMatrix4(inBody);
    held = { body: found.body, point: [local.x, local.y, local.z], pointer: event.pointerId };
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), found.place);
    actions.pick(found.body);
  });
  listen("pointermove", (event) => {
    if (!held) {
      if (event.target === canvas && event.buttons === 0) canvas.style.cursor = bodyUnder(event) ? "grab" : "";
      return;
    }
    if (event.pointerId !== held.pointer) return;
    aim(event);
    if (!raycaster.ray.intersectPlane(plane, target)) return;
    canvas.style.cursor = "grabbing";
    actions.pull({ body: held.body, point: held.point, target: [target.x, target.y, target.z] });
  });
  listen("pointerup", (event) => {
    click(event);
    release();
  });
  listen("pointercancel", release);
  return () => {
    release();
    signal.abort();
  };
}
