/** Plays a toss again and again, slowly: the prediction as a body, the recording as the edges of a cube. */
import { poseSize } from "dojo-sim";
import type { Stage, StageInfo } from "../stage/stage.ts";
import type { TossPicture } from "./protocol.ts";

/** Speed as a part of real time. */
const speed = 0.25;
/** Seconds of the clock that the last frame stays. */
const pause = 0.6;

/** Pairs of corners that differ in one sign. */
const edges = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) =>
  [1, 2, 4].filter((bit) => (corner & bit) === 0).map((bit) => [corner, corner | bit] as const),
);

export class TossFilm {
  playing = true;
  private readonly stage: Stage;
  private toss: TossPicture | undefined;
  private contacts = 0;
  private time = 0;
  private last = performance.now();

  constructor(stage: Stage) {
    this.stage = stage;
    const tick = (now: number): void => {
      if (this.playing) this.time += (speed * Math.min(100, now - this.last)) / 1000;
      this.last = now;
      if (this.toss && this.playing) this.draw(this.toss);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Another scene, which starts with this toss. */
  load(info: StageInfo, toss: TossPicture): void {
    this.contacts = info.contacts.length;
    this.time = 0;
    this.toss = toss;
    this.stage.load(info, this.frameOf(toss, 0));
  }

  /** The same toss, predicted otherwise: the film goes on. */
  show(toss: TossPicture): void {
    this.toss = toss;
    this.draw(toss);
  }

  private draw(toss: TossPicture): void {
    const frames = Math.min(toss.recorded.length, toss.predicted.length) / poseSize;
    const duration = (frames - 1) * toss.interval;
    if (this.time > duration + speed * pause) this.time = 0;
    const k = Math.min(frames - 1, Math.round(this.time / toss.interval));
    this.stage.show(this.frameOf(toss, k));
    this.stage.showLines(edgesOf(poseAt(toss.recorded, k), toss.half));
  }

  private frameOf(toss: TossPicture, k: number) {
    return {
      poses: poseAt(toss.predicted, k),
      forces: new Float32Array(3 * this.contacts),
      pull: null,
      arrows: null,
    };
  }
}

/** Ends of the twelve edges of a cube in a pose. */
function edgesOf([x, y, z, w, i, j, k]: Float32Array, half: number): Float32Array {
  const corner = (bits: number): number[] => {
    const [a, b, c] = [1, 2, 4].map((bit) => (bits & bit ? half : -half));
    return [
      x + (1 - 2 * (j * j + k * k)) * a + 2 * (i * j - w * k) * b + 2 * (i * k + w * j) * c,
      y + 2 * (i * j + w * k) * a + (1 - 2 * (i * i + k * k)) * b + 2 * (j * k - w * i) * c,
      z + 2 * (i * k - w * j) * a + 2 * (j * k + w * i) * b + (1 - 2 * (i * i + j * j)) * c,
    ];
  };
  return Float32Array.from(edges.flatMap(([from, to]) => [...corner(from), ...corner(to)]));
}

function poseAt(poses: Float32Array, frame: number): Float32Array {
  return poses.subarray(poseSize * frame, poseSize * (frame + 1));
}
