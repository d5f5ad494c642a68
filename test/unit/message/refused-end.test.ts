/** A request that is answered 404 has changed nothing: a STOP of before it, of which the gateway learns after it, counts (contract 13.2). */
import { describe, expect, it } from '@jest/globals';
import { receiveMessage } from '../../../shared/message/receive-message.ts';
import { endSuppression } from '../../../shared/message/suppression/manage-suppressions.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { afterSends, anInbound, person, sentBy, start } from '../../support/message/inbound.ts';

const stoppedAt = addSeconds(start, 100);

describe.each(['client', 'admin'] as const)(
  'an end that is refused, because nothing is suppressed, by: %s',
  (source) => {
    it('does not undo the STOP of a moment before, whose notification is late', async () => {
      const { dependencies, suppressions } = await afterSends(sentBy('a', 0));
      const end = {
        client_id: 'a',
        recipient: person,
        scope: undefined,
        source,
        at: addSeconds(stoppedAt, 1),
        cause: 'request',
      };
      await expect(endSuppression(suppressions, end)).rejects.toMatchObject({ code: 'not_found' });
      await receiveMessage(dependencies, anInbound({ text: 'STOP', receivedAt: stoppedAt }), 1);
      expect(await suppressions.get('a', person)).toMatchObject({ scope: 'messages' });
    });
  },
);
