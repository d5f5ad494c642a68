/** How often a property is tried: `.ci/run` sets `FUZZ_RUNS=500`, `npm run test:fuzz` 5000; a plain run stays short. */
export const runs = { numRuns: Number(process.env.FUZZ_RUNS ?? 200) };
