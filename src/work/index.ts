export { inlineExecutor } from "./inlineExecutor.ts";
export {
  type AnyWorkKind,
  type Executor,
  type MapOptions,
  type StopSignal,
  type WorkControl,
  WorkError,
  type WorkKind,
} from "./kind.ts";
export { serveWork } from "./serveWork.ts";
export { type ThreadExecutorOptions, threadExecutor } from "./threadExecutor.ts";
export { coreCount, type WorkPort, type WorkThread } from "./threads.ts";
