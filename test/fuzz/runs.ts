/** How often a property is tried: `npm run test:fuzz` sets `FUZZ_RUNS=5000`, a plain run stays short. */
export const runs = { numRuns: Number(process.env.FUZZ_RUNS ?? 500) };
