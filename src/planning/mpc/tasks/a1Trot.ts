/**
 * The trot of A1 as joint angles. Diagonal pairs of feet take turns of half a cycle: those of one pair stay where they are, so that seen
 * from the trunk, which moves at v and turns at ω, they go back; those of the other swing forwards and up. From the place below its hip,
 * r from the trunk's middle, a foot is at
 *   s (v + ω × r) T/2,      s from ½ to −½ while it stands, and from −½ to ½ while it swings, T the period of the cycle.
 */
import { hipOffset, type LegAngles, legAngles } from "../../tasks/a1Leg.ts";

export const trot = { period: 0.4, lift: 0.06 } as const;
/** The way from the trunk's middle to the hips, and from there down to the feet in the rest pose, m. */
const hips = { x: 0.183, y: 0.047 } as const;
const standing = 0.4 * Math.cos(Math.PI / 4);

const legs = {
  FR: { ahead: 1, side: -1, isFirst: true },
  FL: { ahead: 1, side: 1, isFirst: false },
  RR: { ahead: -1, side: -1, isFirst: false },
  RL: { ahead: -1, side: 1, isFirst: true },
} as const;

export type LegName = keyof typeof legs;

export interface TrotMotion {
  /** Velocity of the trunk, in its own frame: forwards and to the left, m/s. */
  readonly velocity: readonly [number, number];
  /** Rate of turning to the left, rad/s. */
  readonly turnRate: number;
}

/** Angles of a leg at a phase of the cycle, from 0 to 1. */
export function trotAngles(name: LegName, phase: number, { velocity: [vx, vy], turnRate }: TrotMotion): LegAngles {
  const { ahead, side, isFirst } = legs[name];
  const stands = phase < 0.5 === isFirst;
  const part = (2 * phase) % 1;
  const s = stands ? 0.5 - part : part - 0.5;
  const [rx, ry] = [ahead * hips.x, side * (hips.y + hipOffset)];
  const stance = trot.period / 2;
  const x = s * (vx - turnRate * ry) * stance;
  const y = s * (vy + turnRate * rx) * stance;
  const up = stands ? 0 : trot.lift * Math.sin(Math.PI * part);
  return legAngles([x, side * hipOffset + y, up - standing], side);
}
