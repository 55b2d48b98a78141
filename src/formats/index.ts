/** Robot files in and out. */
export * from "./formatError.ts";
