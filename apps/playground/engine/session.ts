/**
 * A scene on the clock: it runs as fast as time does, times a speed, in slices that leave the worker free to listen. Where the machine
 * is too slow for that, simulated time falls behind, and never piles up.
 */
import type { Answers, Frame, Request, Sample } from "../protocol.ts";
import { posesOf } from "./bodyPoint.ts";
import { type FindArrows, type ReadChoice, Scene } from "./scene.ts";

/** Milliseconds of a slice, and from one slice to the next. */
const sliceTime = 12;
const sliceEvery = 16;
/** Wall time that is made up for at most, s. */
const mostLag = 0.05;
/** Arrows are found again after this many milliseconds. */
const arrowsEvery = 100;

/** A request whose files have been read, and with what finds its arrows. */
export type ReadRequest =
  | Exclude<Request, { readonly kind: "load" | "arrows" }>
  | { readonly kind: "load"; readonly choice: ReadChoice }
  | { readonly kind: "arrows"; readonly arrows: FindArrows | null };

export interface Listener {
  frame(frame: Frame): void;
  stopped(message: string): void;
}

export class Session {
  private readonly listener: Listener;
  private scene: Scene | undefined;
  private playing = false;
  private speed = 1;
  private lag = 0;
  private before = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private warming: ReturnType<typeof setTimeout> | undefined;
  private tally = emptyTally();
  private forces = new Float32Array(0);
  private touches = new Float32Array(0);
  private arrowOptions: FindArrows | null = null;
  private arrows: Float32Array | null = null;
  private arrowsAt = Number.NEGATIVE_INFINITY;

  constructor(listener: Listener) {
    this.listener = listener;
  }

  /** Does what is asked and returns the answer; throws with what is wrong. */
  answer(request: ReadRequest): unknown {
    if (request.kind === "load") return this.load(request.choice);
    const value = this.ask(this.required(), request);
    this.arrowsAt = Number.NEGATIVE_INFINITY;
    if (!this.playing) this.show();
    return value;
  }

  private ask(scene: Scene, request: Exclude<ReadRequest, { kind: "load" }>): Answers[keyof Answers] | undefined {
    switch (request.kind) {
      case "play":
        return this.play(request.playing);
      case "speed":
        this.speed = request.speed;
        return undefined;
      case "step":
        return this.stepBy(scene, request.steps);
      case "reset":
        scene.reset();
        this.forgetForces();
        return scene.input.slice();
      case "settings":
        return scene.change(request.settings);
      case "pose":
        this.play(false);
        scene.pose(request.coordinate, request.value);
        this.forgetForces();
        return scene.input.slice();
      case "input":
        scene.setInput(request.index, request.value);
        return undefined;
      case "hold":
        return scene.hold();
      case "pull":
        scene.pull(request.pull);
        return undefined;
      case "push":
        scene.pushBody(request.push);
        return undefined;
      case "arrows":
        this.arrowOptions = request.arrows;
        this.arrows = null;
        return undefined;
      case "snapshot":
        return scene.snapshot();
      case "export":
        return scene.recording.export(request.format, scene.info.name, request.viewer);
    }
  }

  private load(choice: ReadChoice): Answers["load"] {
    // the present scene goes only when the new one is there
    const scene = new Scene(choice);
    this.play(false);
    this.scene = scene;
    this.arrowOptions = null;
    this.arrows = null;
    this.tally = emptyTally();
    this.forces = new Float32Array(3 * scene.info.contacts.length);
    this.touches = new Float32Array(0);
    // once the first frame is on its way: a step that first needs them would be held up
    clearTimeout(this.warming);
    this.warming = setTimeout(() => scene.simulation.warmUp());
    return { info: scene.info, frame: this.frame(scene) };
  }

  /** Those of the last step, when the state is another. */
  private forgetForces(): void {
    this.forces.fill(0);
    this.touches = new Float32Array(0);
  }

  private required(): Scene {
    if (!this.scene) throw new RangeError("No scene has been loaded yet.");
    return this.scene;
  }

  private play(playing: boolean): undefined {
    if (playing === this.playing) return;
    this.playing = playing;
    clearTimeout(this.timer);
    this.lag = 0;
    this.before = performance.now();
    if (playing) this.slice();
  }

  private stepBy(scene: Scene, steps: number): undefined {
    this.play(false);
    for (let k = 0; k < steps && this.advance(scene); k++);
    for (let k = 0; k < -steps && scene.stepBack(); k++);
  }

  private slice(): void {
    const scene = this.required();
    const begin = performance.now();
    const { timestep } = scene.simulation;
    const most = Math.max(timestep, mostLag * Math.max(1, this.speed));
    this.lag = Math.min(most, this.lag + (this.speed * (begin - this.before)) / 1000);
    this.before = begin;
    while (this.playing && this.lag >= timestep && performance.now() - begin < sliceTime) {
      if (!this.advance(scene)) break;
      this.lag -= timestep;
    }
    this.show();
    if (!this.playing) return;
    this.timer = setTimeout(() => this.slice(), Math.max(0, sliceEvery - (performance.now() - begin)));
  }

  /** One step; false, and a pause, when it could not be taken. */
  private advance(scene: Scene): boolean {
    const { tally } = this;
    const begin = performance.now();
    const stop = (why: string): false => {
      this.play(false);
      this.listener.stopped(`The step at ${scene.time.toFixed(3)} s was not solved: ${why}. Make h smaller, or reset.`);
      return false;
    };
    try {
      const { status, iterations } = scene.step();
      if (status !== "solved") return stop(status === "tooFast" ? "a body turns too fast for h" : status);
      tally.milliseconds += performance.now() - begin;
      tally.steps++;
      tally.iterations = Math.max(tally.iterations, iterations);
      tally.distance = Math.min(tally.distance, scene.simulation.smallestDistance);
      return true;
    } catch (error) {
      return stop(error instanceof Error ? error.message : String(error));
    }
  }

  private show(): void {
    this.listener.frame(this.frame(this.required()));
  }

  private frame(scene: Scene): Frame {
    const { simulation, state } = scene;
    const { bodies, contacts } = simulation.mechanism;
    const poses = posesOf(state, bodies.length);
    // read at once: whatever else is solved in the memory of the simulation overwrites them
    if (this.tally.steps > 0) {
      contacts.forEach(({ name }, contact) => {
        this.forces.set(simulation.contact(name).force, 3 * contact);
      });
    }
    if (this.tally.steps > 0 && simulation.mechanism.touch) {
      const pressed = simulation.touches().filter(({ normalForce }) => normalForce > 0);
      this.touches = Float32Array.from(pressed.flatMap(({ point, force }) => [...point, ...force]));
    }
    const line = scene.pullLine();
    return {
      time: scene.time,
      wall: performance.now(),
      playing: this.playing,
      poses,
      forces: this.forces.slice(),
      ...(simulation.mechanism.touch && { touches: this.touches.slice() }),
      coordinates: Float32Array.from(simulation.coordinates(state)),
      pull: line ? Float32Array.from(line) : null,
      arrows: this.presentArrows(scene),
      sample: this.sample(scene),
      recorded: scene.recording.duration,
    };
  }

  private sample({ simulation, state, interval }: Scene): Sample | null {
    const { steps, distance, iterations, milliseconds } = this.tally;
    if (steps === 0) return null;
    this.tally = emptyTally();
    const { kinetic, potential } = simulation.energy(state, interval);
    const { linear, angular } = simulation.momentum(state, interval);
    return {
      steps,
      kinetic,
      potential,
      momentum: Math.hypot(...linear),
      angularMomentum: Math.hypot(...angular),
      distance: Number.isFinite(distance) ? distance : null,
      iterations,
      stepTime: milliseconds / steps,
    };
  }

  private presentArrows(scene: Scene): Float32Array | null {
    if (!this.arrowOptions) return null;
    const now = performance.now();
    if (now - this.arrowsAt > arrowsEvery) {
      this.arrows = scene.arrows(this.arrowOptions);
      this.arrowsAt = now;
    }
    return this.arrows?.slice() ?? null;
  }
}

function emptyTally() {
  return { steps: 0, distance: Number.POSITIVE_INFINITY, iterations: 0, milliseconds: 0 };
}
