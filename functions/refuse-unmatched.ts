/** A placeholder: answers 501. */
export const handler = async (event: { path: string }): Promise<{ statusCode: number; body: string }> => {
  process.stdout.write(`${JSON.stringify({ placeholder: event.path })}\n`);
  return { statusCode: 501, body: JSON.stringify({ error: 'not_implemented', path: event.path }) };
};
