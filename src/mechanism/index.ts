/** Descriptions: their types, the functions that make them, and their validation. */

export * from "./argumentError.ts";
export * from "./compile.ts";
export * from "./contactPoints.ts";
export * from "./contacts.ts";
export * from "./coordinateParameters.ts";
export { describedWith } from "./describedWith.ts";
export type * from "./description.ts";
export * from "./featureContact.ts";
export * from "./freedom.ts";
export * from "./hullBody.ts";
export * from "./joints.ts";
export * from "./matchingNames.ts";
export * from "./mechanism.ts";
export type * from "./mechanismTouch.ts";
export * from "./nearestName.ts";
export * from "./optionNames.ts";
export { entriesOf, namesOf, orderOf } from "./order.ts";
export * from "./perAxis.ts";
export { MOST_HEIGHTS } from "./shapeFaults.ts";
export * from "./shapes.ts";
export * from "./spanningTree.ts";
export * from "./stateInput.ts";
export * from "./touch.ts";
export * from "./validation.ts";
export * from "./visibleText.ts";
