/**
 * An environment of one's own: a hopper that is to jump as high as it can and land on its foot. Random actions show what it gives.
 */
import { Environment, expression, models, Random } from "dojo-sim";

const { mul, square, sub, sum } = expression;

const environment = new Environment({
  name: "jump",
  mechanism: models.hopper({ timestep: 0.02 }),
  horizon: 100,
  actionScale: 100, // N·m per unit of action
  actionLimit: 1,
  observation: (q) => [...q.minimalState, q.contact("foot.toe").distance],
  // how fast the torso rises, less effort
  reward: ({ after, action }) => sub(after.body("torso").velocity[2], mul(0.05, sum(action.map(square)))),
  // it has fallen over once its axis is more than a quarter turn from upright
  alive: (q) => [q.body("torso").axes[2][2]],
  start: models.hopper().states?.rest ?? {},
  startNoise: 0.01,
});

const random = new Random(1);
environment.reset({ seed: 1 });
let sumOfRewards = 0;
for (;;) {
  const { reward, terminated, truncated, info } = environment.step(environment.actionSpace.sample(random));
  sumOfRewards += reward;
  if (!terminated && !truncated) continue;
  console.log(`${terminated ? "fell" : "still up"} after ${info.steps} steps, return ${sumOfRewards.toFixed(3)}`);
  break;
}
