/** A placeholder: takes its events and does nothing. */
export const handler = async (event: unknown): Promise<void> => {
  process.stdout.write(`${JSON.stringify({ placeholder: true, event })}\n`);
};
