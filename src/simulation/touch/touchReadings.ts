/** Where shapes touch: read off the memory of a solved step, with names. */
import { featureGeometry, turned } from "../../equations/index.ts";
import { featureKinds, featureSizes, featureStride } from "../../geometry/index.ts";
import type { NodePlace, System } from "../../kernels/index.ts";
import { type Vector3, vector } from "../../math/index.ts";
import { type ContactFeature, type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { mayBounce } from "../bounce/stepContacts.ts";
import { copyInto } from "../copyInto.ts";
import { readingAt, readingSize } from "../runs/readings.ts";
import type { StepReadings } from "../runs/stepReadings.ts";
import { configurationNow } from "../states/configuration.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import type { SlotTable } from "./slotTable.ts";

/** One feature with which two shapes touch, or could have done so in the step. */
export interface TouchReading {
  /** Bodies by name, "world" for shapes fixed there; `body` always moves, and carries the core of the feature if `other` moves too. */
  readonly body: string;
  readonly other: string;
  /** Shapes by name within their bodies. */
  readonly shape: string;
  readonly otherShape: string;
  /** What meets what. */
  readonly feature: ContactFeature;
  /** Where on the body, in the world, at the start of the step, or of the last half of it in which the feature was there. */
  readonly point: Vector3;
  /** The normal from other to body, in the world, at the same time. */
  readonly normal: Vector3;
  /** Gap of the feature at the end of the step, or of that half, m. */
  readonly distance: number;
  /** Force on the body in the world, N, and its part along the normal: impulses over the time step. In parts, each along its own normal. */
  readonly force: Vector3;
  readonly normalForce: number;
  /**
   * Friction, N, of each part and each stage of a bounce across its own normal: at most the friction coefficient times `normalForce`. What `force` has
   * across `normal` may be more, since normals turn within a step.
   */
  readonly frictionForce: number;
}

/** What readings are made of, when they are asked for: features, what the step has found of each (readingSize numbers), and where it began. */
export interface TouchRecord {
  readonly features: FoundFeatures;
  readonly numbers: Float64Array;
  /** Normals in the frames of the other bodies, as the step has worked them out, three each; none where contacts may be out of the way in a stage of it. */
  readonly normals: Float64Array | undefined;
  readonly state: Float64Array;
}

/** What shapes touched with in a piece of a step, and its size over the time step. */
export interface PieceTouches {
  readonly size: number;
  readonly touches: TouchRecord | undefined;
}

/** The touches of a step that was taken as several: all features that there were, with their impulses over the whole step. */
export function touchesOfPieces(pieces: readonly PieceTouches[], mechanism: Mechanism): TouchReading[] {
  const found = new Map<string, TouchReading>();
  for (const { size, touches } of pieces) {
    if (!touches) continue;
    const { key } = touches.features;
    readingsOf(touches, mechanism).forEach((reading, i) => {
      const { body, other, shape, otherShape, feature } = reading;
      const identity = JSON.stringify([body, other, shape, otherShape, feature, key[i]]);
      const before = found.get(identity);
      const force = vector.add(vector.scale(reading.force, size), before?.force ?? vector.zero);
      const normalForce = size * reading.normalForce + (before?.normalForce ?? 0);
      const frictionForce = size * reading.frictionForce + (before?.frictionForce ?? 0);
      found.set(identity, { ...reading, force, normalForce, frictionForce });
    });
  }
  return [...found.values()];
}

/** The record of a step, or a part of one, as it stands in memory; `data`: that memory or a copy, whose state is kept. */
export function touchRecord(active: TouchSource, features: FoundFeatures, data: Float64Array): TouchRecord {
  const { system, nodes, stepper } = active;
  const { state } = system.places;
  const { slotOf } = active.table;
  const numbers = new Float64Array(readingSize * features.count);
  const normals = mayBounce(system) ? undefined : new Float64Array(3 * features.count);
  for (let i = 0; i < features.count; i++) {
    const node = nodes[slotOf[i]];
    stepper.readings.contactInto(numbers, readingSize * i, node);
    if (normals) copyInto(normals, 3 * i, system.f64, node.observations, 3);
  }
  return { features, numbers, normals, state: data.subarray(state, state + system.mechanism.stateSize) };
}

interface TouchSource {
  readonly system: System;
  readonly nodes: readonly NodePlace[];
  readonly table: Pick<SlotTable, "slotOf">;
  readonly stepper: { readonly readings: StepReadings };
}

/** The readings with names. */
export function readingsOf({ features, numbers, normals, state }: TouchRecord, mechanism: Mechanism): TouchReading[] {
  const shapes = mechanism.touch?.shapes ?? [];
  const name = (body: number): string => (body === worldIndex ? "world" : mechanism.bodies[body].name);
  const poses = configurationNow(state);
  return Array.from({ length: features.count }, (_, i): TouchReading => {
    const feature = featureKinds[features.kind[i]];
    const size = featureSizes[features.kind[i]];
    const values = Array.from(features.values.subarray(i * featureStride, i * featureStride + size));
    const [core, met] = [poses.pose(features.body[i]), poses.pose(features.other[i])];
    const isFixed = features.body[i] === worldIndex;
    const geometry = featureGeometry(feature, values);
    const { force, normal: normalForce, friction, distance } = readingAt(numbers, readingSize * i);
    const inMet = normals && !isFixed ? [...normals.subarray(3 * i, 3 * i + 3)] : geometry.normal(core, met);
    const { point, radius } = geometry.core(core, met, inMet);
    const normal = turned(met, inMet) as unknown as Vector3;
    const nearest = vector.add(core.position as unknown as Vector3, turned(core, point) as unknown as Vector3);
    const onCore = vector.sub(nearest, vector.scale(normal, radius as number));
    const [own, opposite] = isFixed ? [features.other, features.body] : [features.body, features.other];
    const [ownShape, oppositeShape] = isFixed
      ? [features.otherShape, features.bodyShape]
      : [features.bodyShape, features.otherShape];
    return {
      body: name(own[i]),
      other: name(opposite[i]),
      shape: shapes[ownShape[i]].name,
      otherShape: shapes[oppositeShape[i]].name,
      feature,
      point: isFixed ? vector.sub(onCore, vector.scale(normal, geometry.gap(core, met) as number)) : onCore,
      normal: isFixed ? vector.scale(normal, -1) : normal,
      distance,
      force,
      normalForce,
      frictionForce: Math.hypot(...friction),
    };
  });
}
