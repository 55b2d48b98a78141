/** The 3D stage: the view of the present scene with what can be done to it. Draws once a screen refresh, when something changed. */
import { poseSize } from "dojo-sim";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  RingGeometry,
  Vector3,
} from "three";
import { Arrows } from "../../replay/arrows.ts";
import { element } from "../../replay/elements.ts";
import type { Theme } from "../../replay/theme.ts";
import { createRenderer, View } from "../../replay/view.ts";
import type { Frame, SceneInfo } from "../protocol.ts";
import { attachBodyPicker, type PickerActions } from "./bodyPicker.ts";
import { DrawQuality } from "./drawQuality.ts";
import { LiveMotion } from "./liveMotion.ts";

/** The longest gradient arrow, in radii of the scene. */
const arrowLength = 0.6;
/** Arrows shorter than this part of the longest are not drawn. */
const faintest = 0.01;

const colors = {
  light: { arrow: "#6b3fa0", pull: "#0b62b8", chosen: "#0b62b8" },
  dark: { arrow: "#d0a5ff", pull: "#8cc4ff", chosen: "#4f9bff" },
};

/** What the stage has to know of a scene, and of its present. */
export type StageInfo = Pick<SceneInfo, "name" | "bodies" | "contacts" | "world" | "inputs" | "weight" | "floats"> &
  Partial<Pick<SceneInfo, "ahead">>;
export type StageFrame = Pick<Frame, "poses" | "forces" | "touches" | "pull" | "arrows">;

export type StageActions = PickerActions;

export class Stage {
  readonly root: HTMLElement;
  readonly drawing = new DrawQuality();
  private readonly renderer = createRenderer();
  private readonly actions: StageActions;
  private readonly arrowMaterial = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
  private readonly pullMaterial = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
  private readonly lineMaterial = new LineBasicMaterial({ depthTest: false, transparent: true });
  private readonly lines = new LineSegments(new BufferGeometry(), this.lineMaterial);
  private readonly markMaterial = new MeshBasicMaterial({ transparent: true, opacity: 0.9 });
  private readonly mark = new Mesh(new RingGeometry(0.7, 1, 40), this.markMaterial);
  private view: View | undefined;
  private motion: LiveMotion | undefined;
  private info: StageInfo | undefined;
  private arrows: Arrows | undefined;
  private pullArrow: Arrows | undefined;
  private frame: StageFrame | undefined;
  private detach: () => void = () => {};
  private theme: Theme = "light";
  private chosen = -1;
  private stale = false;

  constructor(actions: StageActions) {
    this.actions = actions;
    this.mark.visible = false;
    const { domElement: canvas } = this.renderer;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    this.root = element("div", { class: "stage" }, canvas);
    new ResizeObserver(() => this.resize()).observe(this.root);
    const tick = (now: number): void => {
      if (this.stale) {
        this.draw();
        if (this.drawing.drawn(now)) this.resize();
      } else this.drawing.idle(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Another scene. The camera stays unless the robot is another one. */
  load(info: StageInfo, frame: StageFrame): void {
    const before = this.view;
    const sameRobot = this.info?.name === info.name && before !== undefined;
    this.detach();
    this.motion = new LiveMotion(info, frame);
    const view = new View(this.motion, { travels: info.floats, renderer: this.renderer });
    if (before) view.contactsVisible = before.contactsVisible;
    this.arrows = new Arrows(info.inputs.length, this.arrowMaterial);
    this.arrows.group.visible = false;
    this.pullArrow = new Arrows(1, this.pullMaterial);
    this.pullArrow.group.visible = false;
    view.scene.add(this.arrows.group, this.pullArrow.group, this.lines, this.mark);
    this.mark.scale.setScalar(0.16 * view.radius);
    view.onCamera = () => this.redraw();
    this.view = view;
    this.info = info;
    this.frame = frame;
    this.chosen = -1;
    this.detach = attachBodyPicker(view, this.actions);
    const { bodies, contacts, name } = info;
    const clicks = this.actions.place ? ", click the floor to send it there" : "";
    this.renderer.domElement.setAttribute(
      "aria-label",
      `3D view of ${name}: ${bodies.length} bodies, ${contacts.length} contact points. Drag a body to pull it${clicks}, drag beside it to turn the view, scroll to zoom.`,
    );
    if (!sameRobot) this.drawing.reset();
    this.resize();
    if (sameRobot) view.lookAs(before);
    else view.reset(0);
    before?.dispose();
    this.paint(this.theme);
  }

  show(frame: StageFrame): void {
    this.frame = frame;
    this.motion?.show(frame);
    this.redraw();
  }

  /** Lines in the world besides the bodies, where a plan leads say: ends of segments, six numbers each. */
  showLines(ends: Float32Array): void {
    this.lines.geometry.setAttribute("position", new BufferAttribute(ends, 3));
    this.lines.frustumCulled = false;
    this.redraw();
  }

  /** Marks a place on the floor; undefined for none. */
  showMark(place: readonly [number, number] | undefined): void {
    this.mark.visible = place !== undefined;
    // above the floor, so that they do not flicker
    if (place) this.mark.position.set(...place, (this.view?.floorHeight ?? 0) + 0.002);
    this.redraw();
  }

  redraw(): void {
    this.stale = true;
  }

  focus(): void {
    this.renderer.domElement.focus({ preventScroll: true });
  }

  /** In the colours of the page, also when they change. */
  followTheme(): void {
    const page = document.documentElement;
    const follow = (): void => this.paint((page.dataset.theme ?? "light") as Theme);
    new MutationObserver(follow).observe(page, { attributeFilter: ["data-theme"] });
    follow();
  }

  paint(theme: Theme): void {
    this.theme = theme;
    this.view?.paint(theme);
    this.arrowMaterial.color.set(colors[theme].arrow);
    this.pullMaterial.color.set(colors[theme].pull);
    this.lineMaterial.color.set(colors[theme].arrow);
    this.markMaterial.color.set(colors[theme].pull);
    this.choose(this.chosen);
  }

  /** Marks a body; −1 for none. */
  choose(body: number): void {
    this.chosen = body;
    this.view?.bodies.forEach((group, index) => {
      group.traverse((object) => {
        if (!(object instanceof Mesh) || !(object.material instanceof MeshStandardMaterial)) return;
        object.material.emissive = new Color(index === body ? colors[this.theme].chosen : "#000000");
        object.material.emissiveIntensity = 0.35;
      });
    });
    this.redraw();
  }

  resetCamera(): void {
    this.view?.reset(0);
    this.redraw();
  }

  get follow(): boolean {
    return this.view?.follow ?? false;
  }

  set follow(follow: boolean) {
    if (this.view) this.view.follow = follow;
    this.redraw();
  }

  get contactsVisible(): boolean {
    return this.view?.contactsVisible ?? true;
  }

  set contactsVisible(visible: boolean) {
    if (this.view) this.view.contactsVisible = visible;
    this.redraw();
  }

  /** Where a body is on the screen, in pixels of the page. */
  screenPlace(body: number): { x: number; y: number } {
    if (!this.view) return { x: 0, y: 0 };
    this.draw();
    const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect();
    const place = this.view.bodies[body].position.clone().project(this.view.camera);
    return { x: left + ((place.x + 1) / 2) * width, y: top + ((1 - place.y) / 2) * height };
  }

  private resize(): void {
    this.view?.setQuality(this.drawing.quality);
    this.view?.resize(this.root.clientWidth, this.root.clientHeight);
    this.draw();
  }

  private draw(): void {
    this.stale = false;
    if (!this.view || !this.frame || this.root.clientWidth === 0) return;
    this.drawPull(this.frame);
    this.drawArrows(this.frame);
    this.view.draw(0);
  }

  private drawPull({ pull }: StageFrame): void {
    const { pullArrow: arrow, view } = this;
    if (!arrow || !view) return;
    arrow.group.visible = pull !== null;
    if (!pull) return;
    const foot = new Vector3(pull[0], pull[1], pull[2]);
    const along = new Vector3(pull[3], pull[4], pull[5]).sub(foot);
    arrow.set(0, foot, along, along.length(), 0.009 * view.radius, 0.08 * view.radius);
    arrow.update();
  }

  /** One for each input, from the body that it moves; the longest has a length that can be seen. */
  private drawArrows({ arrows: values, poses }: StageFrame): void {
    const { arrows, info, view } = this;
    if (!arrows || !info || !view) return;
    arrows.group.visible = values !== null;
    if (!values) return;
    const vectors = info.inputs.map((_, u) => new Vector3(values[3 * u], values[3 * u + 1], values[3 * u + 2]));
    const longest = Math.max(...vectors.map((vector) => vector.length()), 1e-30);
    vectors.forEach((vector, u) => {
      const at = poseSize * info.inputs[u].body;
      const share = vector.length() / longest;
      const length = share > faintest ? share * arrowLength * view.radius : 0;
      arrows.set(
        u,
        new Vector3(poses[at], poses[at + 1], poses[at + 2]),
        vector,
        length,
        0.011 * view.radius,
        0.09 * view.radius,
      );
    });
    arrows.update();
  }
}
