/** The 3D view: bodies, ground, contacts, light and camera. Draws when told to. */
import type { ReplayData } from "dojo-sim";
import {
  Box3,
  Color,
  DirectionalLight,
  Fog,
  type Group,
  HemisphereLight,
  Mesh,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { bodyGroup } from "./bodyMeshes.ts";
import { ContactMarks } from "./contactMarks.ts";
import { distanceToSee, type Extents, extentsOf } from "./extent.ts";
import { groundGroup, moveGround, paintGround, planesOf } from "./ground.ts";
import type { Motion } from "./motion.ts";
import { sceneColors, type Theme } from "./theme.ts";

/** Robots face along x: from ahead of them, to their right, and a little above. */
const outlook = new Vector3(1, -1.25, 0.42).normalize();
/** Farther than it takes to see everything, by this. */
const margin = 1.06;
/** One that follows sees where the bodies go. */
const wayside = 1.8;
const sunlight = new Vector3(0.35, -0.6, 1).normalize();

export interface ViewOptions {
  /** The bodies may go anywhere, and the view with them. Default when they are seen to go far. */
  readonly travels?: boolean;
  /** One that outlives the view. Default one of its own. */
  readonly renderer?: WebGLRenderer;
}

export function createRenderer(): WebGLRenderer {
  const renderer = new WebGLRenderer({ antialias: true });
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  return renderer;
}

export class View {
  readonly canvas: HTMLCanvasElement;
  /** For what else is to be drawn, and for picking. */
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(36, 1);
  readonly controls: OrbitControls;
  readonly bodies: readonly Group[];
  /** Half the size of the bodies at the start. */
  readonly radius: number;
  /** Height of the first plane above the world's origin: the floor, where that is level. */
  readonly floorHeight: number;
  follow: boolean;
  /** Called when the camera was moved by hand. */
  onCamera: () => void = () => {};

  private readonly motion: Motion;
  /** Pixels of the picture for one of the page, at most. */
  private mostPixels = 2;
  private readonly extents: Extents;
  private readonly renderer: WebGLRenderer;
  private readonly ownsRenderer: boolean;
  private readonly sun = new DirectionalLight();
  private readonly sky = new HemisphereLight();
  private readonly ground: Group;
  private readonly marks: ContactMarks;
  private readonly center = new Vector3();
  private readonly lastCenter = new Vector3();
  /** A motion that leaves the view is followed unless told otherwise. */
  private readonly travelsFar: boolean;

  constructor(motion: Motion, options: ViewOptions = {}) {
    this.motion = motion;
    this.renderer = options.renderer ?? createRenderer();
    this.ownsRenderer = options.renderer === undefined;
    this.canvas = this.renderer.domElement;
    this.bodies = motion.bodies.map(({ name, shapes }, index) => bodyGroup(name, shapes, index));
    this.extents = extentsOf(motion, this.bodies);
    this.radius = this.extents.model.radius;
    this.travelsFar = options.travels ?? this.extents.motion.radius > 3 * this.radius;
    const fixed = bodyGroup(
      "world",
      motion.world.filter(({ kind }) => kind !== "halfSpace"),
      motion.bodies.length,
    );
    const lowest = new Box3().setFromObject(fixed).min.z;
    const planes = planesOf(motion.contacts, motion.world, this.extents.motion, lowest);
    this.floorHeight = planes[0].offset;
    this.ground = groundGroup(planes, this.extents.motion);
    this.marks = new ContactMarks(motion, this.radius);
    this.scene.add(...this.bodies, fixed, this.ground, this.marks.group, this.sky, this.sun, this.sun.target);
    this.setUpSun();

    // orbit with mouse and touch, the floor being below
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.onCamera());
    this.follow = this.travelsFar;
    this.reset(0);
  }

  private setUpSun(): void {
    const { sun, extents } = this;
    const reach = 1.3 * (this.travelsFar ? 2 * extents.model.radius : extents.motion.radius);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 3;
    sun.shadow.bias = -0.0004;
    sun.shadow.normalBias = 0.004 * reach;
    Object.assign(sun.shadow.camera, {
      left: -reach,
      right: reach,
      top: reach,
      bottom: -reach,
      near: 0.1 * reach,
      far: 8 * reach,
    });
    sun.userData.distance = 4 * reach;
  }

  /** The camera as it was at first, at this time's place. */
  reset(time: number): void {
    const extent = this.travelsFar ? this.extents.model : this.extents.motion;
    const target = extent.center.clone();
    this.motion.centerInto(this.center, time, this.radius);
    if (this.travelsFar) target.copy(this.center);
    const up = Math.tan((this.camera.fov * Math.PI) / 360);
    const distance =
      (this.travelsFar ? wayside : margin) * distanceToSee(extent, outlook, { across: up * this.camera.aspect, up });
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    this.camera.position.copy(target).addScaledVector(outlook, distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.minDistance = distance / 20;
    this.controls.maxDistance = distance * 4;
    this.lastCenter.copy(this.center);
    this.controls.update();
  }

  /** The camera of another view of the same bodies: where it was, or as far from the bodies where it follows them. */
  lookAs({ camera, controls, follow, lastCenter }: View): void {
    this.follow = follow;
    const moved = follow ? this.lastCenter.clone().sub(lastCenter) : new Vector3();
    this.camera.position.copy(camera.position).add(moved);
    this.controls.target.copy(controls.target).add(moved);
    this.controls.update();
  }

  /** Coarser pictures for slow graphics cards; `resize` then takes it over. */
  setQuality({ pixelRatio, shadows }: { readonly pixelRatio: number; readonly shadows: boolean }): void {
    this.mostPixels = pixelRatio;
    this.sun.castShadow = shadows;
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(this.mostPixels, devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }

  /** Turns the camera about its target, in radians: for pictures. */
  orbit(angle: number): void {
    const arm = this.camera.position.sub(this.controls.target).applyAxisAngle(this.camera.up, angle);
    this.camera.position.copy(arm.add(this.controls.target));
    this.controls.update();
  }

  set contactsVisible(visible: boolean) {
    this.marks.group.visible = visible;
  }

  get contactsVisible(): boolean {
    return this.marks.group.visible;
  }

  paint(theme: Theme): void {
    const colors = sceneColors[theme];
    this.scene.background = new Color(colors.sky);
    this.scene.fog = new Fog(colors.sky);
    this.sky.color.set("#ffffff");
    this.sky.groundColor.set(theme === "light" ? "#aab4c0" : "#3a4450");
    // hemispheres light from their own up, which is y unless placed
    this.sky.position.set(0, 0, 1);
    this.sky.intensity = colors.ambient;
    this.sun.intensity = colors.sun;
    this.marks.paint(new Color(colors.force));
    paintGround(this.ground, colors);
  }

  draw(time: number): void {
    this.bodies.forEach((group, body) => {
      this.motion.poseInto(group.position, group.quaternion, body, time);
    });
    this.marks.update(time);
    this.motion.centerInto(this.center, time, this.radius);
    if (this.follow) {
      const moved = this.lastCenter.sub(this.center).negate();
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.controls.update();
    }
    this.lastCenter.copy(this.center);

    // light and haze go where the view goes
    const middle = this.travelsFar ? this.center : this.extents.motion.center;
    if (this.travelsFar) moveGround(this.ground, middle);
    this.sun.target.position.copy(middle);
    this.sun.position.copy(middle).addScaledVector(sunlight, this.sun.userData.distance);
    const distance = this.camera.position.distanceTo(this.controls.target);
    if (this.scene.fog instanceof Fog) Object.assign(this.scene.fog, { near: 1.6 * distance, far: 6 * distance });
    this.renderer.render(this.scene, this.camera);
  }

  dispose(): void {
    this.controls.dispose();
    this.scene.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      object.geometry.dispose();
      object.material.map?.dispose();
      object.material.dispose();
    });
    this.sun.shadow.dispose();
    if (this.ownsRenderer) this.renderer.dispose();
  }
}

/** What a reader who does not see the picture is told. */
export function describeScene({ title, bodies, contacts }: ReplayData): string {
  return `3D view of ${title}: ${bodies.length} bodies, ${contacts.length} contacts. Drag to turn, pinch or scroll to zoom.`;
}
