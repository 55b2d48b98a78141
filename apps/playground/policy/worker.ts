/** Runs the robot in real time where the machine keeps up, and shows it thirty times per second. */
import { PolicyRun } from "./policyRun.ts";
import type { Command, Report } from "./protocol.ts";

interface WorkerPort {
  onmessage: ((event: MessageEvent<Command>) => void) | null;
  postMessage(report: Report): void;
}

const port = self as unknown as WorkerPort;
/** Between frames, ms. */
const interval = 33;

let robot: PolicyRun | undefined;
let run = 0;
let playing = true;
/** Simulated time that is due, ms. */
let due = 0;
let last = performance.now();

port.onmessage = ({ data }) => guarded(() => obey(data));
setInterval(() => guarded(goOn), interval);

function obey(command: Command): void {
  switch (command.kind) {
    case "start":
      run = command.run;
      robot = new PolicyRun(command.robot, command.policy);
      due = 0;
      port.postMessage({ kind: "scene", run, info: robot.info, frame: robot.frame() });
      break;
    case "policy":
      robot?.usePolicy(command.policy);
      break;
    case "restart":
      robot?.restart();
      break;
    case "play":
      playing = command.playing;
      break;
    case "push":
      robot?.push(command.impulse);
      break;
    case "pull":
      robot?.pull(command.pull);
      break;
  }
}

function goOn(): void {
  const now = performance.now();
  // what there is no time for is not made up
  due = Math.min(2 * interval, due + now - last);
  last = now;
  if (!robot || !playing) {
    due = 0;
    return;
  }
  const h = 1000 * robot.timestep;
  for (; due >= h && performance.now() - now < interval; due -= h) robot.step();
  port.postMessage({ kind: "frame", run, frame: robot.frame() });
}

function guarded(act: () => void): void {
  try {
    act();
  } catch (error) {
    robot = undefined;
    port.postMessage({ kind: "fault", run, message: error instanceof Error ? error.message : String(error) });
  }
}
