/**
 * Computes what the lens shows, the urgent first: values at the current force, curves of κ that are not known yet, the smoothed
 * gradient at the force, and its curve piece by piece. A new request is seen between two pieces.
 */
import { BoxLens } from "./boxLens.ts";
import { evenForces } from "./exactCurve.ts";
import { curveKey, type Reply, type Request, smoothingKey } from "./protocol.ts";

interface WorkerPort {
  onmessage: ((event: MessageEvent<Request>) => void) | null;
  postMessage(reply: Reply): void;
}

const port = self as unknown as WorkerPort;
const lens = new BoxLens();
/** Longest time without a look at new requests, ms. */
const pieceTime = 25;
/** One gradient is shorter than the ticks of a browser's clock. */
const repeats = 10;

const sentCurves = new Set<string>();
let smoothed = { key: "", gradient: new Float64Array(0), order: [] as number[] };
let latest: Request | undefined;
let running = false;

port.onmessage = ({ data }) => {
  latest = data;
  if (!running) void run();
};

async function run(): Promise<void> {
  running = true;
  let request: Request | undefined;
  try {
    while (latest) {
      request = latest;
      for (const piece of pieces(request)) {
        piece();
        await pause();
        if (latest !== request) break;
      }
      if (latest === request) latest = undefined;
    }
  } catch (error) {
    latest = undefined;
    port.postMessage({ kind: "fault", message: error instanceof Error ? error.message : String(error) });
  }
  running = false;
}

/** Lets messages in. Timers would wait 4 ms each. */
function pause(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

function* pieces({ id, settings }: Request): Generator<() => void> {
  const { direction, force, kappa, shown, smoothing } = settings;
  const kappas = [kappa, ...shown.filter((other) => other !== kappa)];
  yield () => {
    const values = kappas.map((each) => ({ kappa: each, values: lens.values(direction, force, each) }));
    port.postMessage({ kind: "point", id, direction, force, values });
  };
  for (const each of kappas) {
    const key = curveKey(direction, each);
    if (sentCurves.has(key)) continue;
    yield () => {
      port.postMessage({ kind: "curve", direction, kappa: each, curve: lens.curve(direction, each) });
      sentCurves.add(key);
    };
  }
  // after the curves, when the code is warm
  yield () => {
    const seconds = secondsOf(() => {
      for (let i = 0; i < repeats; i++) lens.gradient(direction, force, kappa);
    });
    port.postMessage({ kind: "timing", seconds: seconds / repeats });
  };
  if (!smoothing) return;
  yield () => {
    let gradient = 0;
    const seconds = secondsOf(() => {
      gradient = lens.smoothed(direction, force, settings);
    });
    port.postMessage({ kind: "smoothedPoint", id, gradient, seconds });
  };
  const key = smoothingKey(settings);
  if (smoothed.key !== key) {
    smoothed = { key, gradient: new Float64Array(evenForces.length).fill(Number.NaN), order: coarseFirst() };
  }
  while (smoothed.order.length > 0) {
    yield () => {
      const begin = performance.now();
      while (smoothed.order.length > 0 && performance.now() - begin < pieceTime) {
        const index = smoothed.order.shift() as number;
        // samples of its own for each force, as one would draw them
        const seed = settings.seed + index + 1;
        smoothed.gradient[index] = lens.smoothed(direction, evenForces[index], { ...settings, seed });
      }
      const done = smoothed.order.length === 0;
      port.postMessage({ kind: "smoothedCurve", key, forces: evenForces, gradient: smoothed.gradient, done });
    };
  }
}

/** Every eighth force, then those half way, and so on. */
function coarseFirst(): number[] {
  const rank = (index: number): number => [8, 4, 2, 1].findIndex((stride) => index % stride === 0);
  return Array.from(evenForces.keys()).sort((a, b) => rank(a) - rank(b) || a - b);
}

function secondsOf(work: () => void): number {
  const begin = performance.now();
  work();
  return (performance.now() - begin) / 1000;
}
