/** At most five one-time passwords go to one recipient in any ten minutes, also where a request is repeated much later. */
import { expect, it } from '@jest/globals';
import { countRecipientSend } from '../../../shared/otp/recipient-limit.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';

function recipientSends() {
  const { otps: store } = inMemoryStores();
  return (messageId: string, seconds: number) =>
    countRecipientSend(
      store,
      { clientId: 'client_1', recipient: '+447700900123' },
      messageId,
      new Date(seconds * 1000),
    );
}

it('counts a message whose request died at the time of the request that stores it', async () => {
  const count = recipientSends();
  await count('msg_first', 0);
  for (const other of ['msg_2', 'msg_3', 'msg_4', 'msg_5']) await count(other, 550);
  await count('msg_first', 580);
  await expect(count('msg_6', 601)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
  await count('msg_6', 1151);
});

it('asks nobody to wait longer than the window, also where the five were stored after the request began', async () => {
  const count = recipientSends();
  for (const other of ['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5']) await count(other, 100.01);
  await expect(count('msg_6', 100)).rejects.toMatchObject({ retryAfterSeconds: 600 });
});
