/** Called with each event of a message that failed; `detail` has the fields of the webhook, and its headers. */
export async function handler({ detail }) {
  const { message_id, error_code } = detail.data;
  process.stdout.write(`${JSON.stringify({ message: 'message failed', message_id, error_code })}\n`);
}
