/** A person writes to a client, by the simulated carrier. */
import { eventually } from '../gateway/gateway.ts';
import { adminToken, call, type TestClient } from '../http/client.ts';

/**
 * The id of the message, which the client has by then. The client must be the last that wrote to this person, so the
 * number must be of one test alone.
 */
export async function writeToClient(client: TestClient, from: string, text: string): Promise<string> {
  const credential = await adminToken();
  const { body } = await call('POST', '/admin/api/inbound', { credential, body: { from, text } });
  const messageId = String(body.message_id);
  await eventually(async () => {
    const { status } = await client.call('GET', `/api/v1/sms/status/${messageId}`);
    return status === 200 ? true : undefined;
  });
  return messageId;
}
