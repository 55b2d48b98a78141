/** Plans in a thread of its own: requests come from the plant's worker by a port of their own, and plans go back by it. */
import { BalancePlanner } from "./balancePlanner.ts";
import type { PlannerCommand, PlannerReport } from "./protocol.ts";

self.onmessage = ({ data: port }: MessageEvent<MessagePort>) => {
  let planner: BalancePlanner | undefined;
  const report = (message: PlannerReport): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<PlannerCommand>) => {
    try {
      if (data.kind === "start") planner = new BalancePlanner(data.settings);
      else if (data.kind === "change") planner?.change(data.settings, data.step);
      else if (planner) report({ kind: "plan", run: data.run, reply: planner.answer(data.request) });
    } catch (error) {
      planner = undefined;
      report({ kind: "fault", run: data.run, message: error instanceof Error ? error.message : String(error) });
    }
  };
};
