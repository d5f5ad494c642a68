/** How often a property is tried: test/parts.ts sets more for `npm run test:all` and `npm run test:release`. */
export const runs = { numRuns: Number(process.env.FUZZ_RUNS ?? 200) };
