/** A shape of any kind thrown at another, with many times its own size per step. */
import {
  compile,
  floating,
  type MechanismDescription,
  maximalState,
  Random,
  type Shape,
  Simulation,
  type SurfaceDescription,
} from "../../src/index.ts";

export const kinds = ["sphere", "capsule", "box", "hull", "cylinder", "ellipsoid"] as const;
export type Kind = (typeof kinds)[number] | "heightField";

/** A shape between a third and all of `size`, plates and rods among them, and the radius of a ball that it holds. */
function shapeOf(random: Random, kind: Kind, size: number, bounce: SurfaceDescription): readonly [Shape, number] {
  const part = (least: number, most = 1): number => size * random.uniform(least, most);
  const contact = { frictionCoefficient: random.uniform(0, 1), ...bounce };
  switch (kind) {
    case "sphere": {
      const radius = part(0.3) / 2;
      return [{ kind, radius, contact }, radius];
    }
    case "capsule": {
      const radius = part(0.1, 0.4) / 2;
      return [{ kind, radius, length: part(0.3), contact }, radius];
    }
    case "box": {
      const sides = [part(0.05), part(0.3), part(0.3)] as const;
      return [{ kind, size: sides, contact }, Math.min(...sides) / 2];
    }
    case "hull": {
      // the corners of an octahedron, each somewhere along its axis
      const points = [0, 1, 2].flatMap((k) =>
        [-1, 1].map((sign) => [0, 1, 2].map((i) => (i === k ? sign * part(0.25, 0.5) : 0)) as [number, number, number]),
      );
      return [{ kind, points, contact }, (0.25 / Math.sqrt(3)) * size];
    }
    case "cylinder": {
      const [radius, length] = [part(0.3) / 2, part(0.1)];
      return [{ kind, radius, length, contact }, Math.min(radius, length / 2)];
    }
    case "ellipsoid": {
      const radii = [part(0.3) / 2, part(0.3) / 2, part(0.3) / 2] as const;
      return [{ kind, radii, contact }, Math.min(...radii)];
    }
    case "heightField": {
      const heights = Array.from({ length: 9 }, () =>
        Array.from({ length: 9 }, () => size * random.uniform(-0.3, 0.3)),
      );
      return [{ kind, size: [8 * size, 8 * size], heights, contact }, Number.POSITIVE_INFINITY];
    }
  }
}

export interface Throw {
  readonly simulation: Simulation;
  readonly start: Float64Array;
  /** Steps until the two have met. */
  readonly steps: number;
  readonly size: number;
  readonly thickness: number;
  readonly isFixed: boolean;
}

/** A shape that flies downwards at another, which is at rest but for its spin, or at terrain. */
export function thrown(kind: Kind, other: Kind, speed: number, h: number, seed: number, bounce = {}): Throw {
  const random = new Random(
    1e4 * seed + 100 * [...kinds, "heightField"].indexOf(other) + kinds.indexOf(kind as "box") + speed + h,
  );
  const [size, otherSize] = [random.uniform(0.08, 0.4), random.uniform(0.08, 0.4)];
  const [shape, thin] = shapeOf(random, kind, size, bounce);
  const [target, otherThin] = shapeOf(random, other, otherSize, bounce);
  const isFixed = other === "heightField";
  const body = (one: Shape, extent: number): MechanismDescription["bodies"][string] => {
    const mass = 300 * extent ** 3;
    const inertia = (mass * extent ** 2) / 12;
    return {
      mass,
      inertia: [
        [inertia, 0, 0],
        [0, 1.2 * inertia, 0],
        [0, 0, 0.8 * inertia],
      ],
      shapes: [one],
    };
  };
  const mechanism = compile({
    timestep: h,
    gravity: [0, 0, 0],
    bodies: { a: body(shape, size), ...(!isFixed && { b: body(target, otherSize) }) },
    joints: {
      a: floating({ parent: "world", child: "a" }),
      ...(!isFixed && { b: floating({ parent: "world", child: "b" }) }),
    },
    ...(isFixed && { shapes: [target] }),
  });
  const away = 1.2 * (size + (isFixed ? 0.3 : 1) * otherSize) + speed * h * random.uniform(0, 1);
  const aside = isFixed ? 2 * otherSize : 0.3 * Math.min(size, otherSize);
  const spins = (): number[] => [0, 0, 0].map(() => random.uniform(-5, 5));
  const turn = (): number[] => [0, 0, 0].map(() => random.uniform(-3, 3));
  const start = maximalState(mechanism, {
    a: {
      position: [random.uniform(-aside, aside), random.uniform(-aside, aside), away, ...turn()],
      velocity: [0, 0, -speed, ...spins()],
    },
    ...(!isFixed && { b: { position: [0, 0, 0, ...turn()], velocity: [0, 0, 0, ...spins()] } }),
  });
  const steps = Math.ceil(away / (speed * h)) + 3;
  return { simulation: new Simulation(mechanism), start, steps, size, thickness: Math.min(thin, otherThin), isFixed };
}
