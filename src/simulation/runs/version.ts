/** Version of the engine, as in package.json; a step dump carries it. */
export const version = "0.1.0";
