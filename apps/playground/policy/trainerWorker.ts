/** Trains in a thread of its own. Gradients are found in it, one episode after the other; random search sends its episodes to all cores. */
import { type Executor, inlineExecutor, threadExecutor } from "dojo-sim";
import type { TrainerCommand, TrainerReport } from "./protocol.ts";
import { Trainer } from "./trainer.ts";

interface WorkerPort {
  onmessage: ((event: MessageEvent<TrainerCommand>) => void) | null;
  postMessage(report: TrainerReport): void;
}

const port = self as unknown as WorkerPort;
let executor: Executor | undefined;
let trainer: Trainer | undefined;
let run = 0;

port.onmessage = async ({ data }) => {
  try {
    if (data.kind === "train") await begin(data);
    else if (data.kind === "stop") trainer?.stop();
    else await goOn();
  } catch (error) {
    port.postMessage({ kind: "fault", run, message: error instanceof Error ? error.message : String(error) });
  }
};

async function begin(command: Extract<TrainerCommand, { kind: "train" }>): Promise<void> {
  const { settings, workers } = command;
  run = command.run;
  await executor?.close();
  executor = settings.method === "ars" ? threadExecutor({ workers, worker: episodeWorker }) : inlineExecutor();
  trainer = new Trainer(settings, executor);
  await goOn();
}

/** One training after the other: reports of one that was left are told from those of the next by their run. */
async function goOn(): Promise<void> {
  const own = run;
  await trainer?.go((training) => port.postMessage({ kind: "progress", run: own, training }));
  port.postMessage({ kind: "stopped", run: own });
}

function episodeWorker(): Worker {
  return new Worker(new URL("./episodeWorker.ts", import.meta.url), { type: "module" });
}
