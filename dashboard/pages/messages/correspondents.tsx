/**
 * The clients that recently exchanged messages with a number, each with a link to the conversation and the recipient's
 * reachability.
 */

import Box from '@cloudscape-design/components/box';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import type { ResponseOf } from '../../../shared/admin/http/admin-operations.ts';
import { useResponse } from '../../api/queries.ts';
import { ClientName } from '../../components/client-name.tsx';
import { SuppressionNote } from '../../components/reachability.tsx';
import { linkTo } from '../../route.ts';

/** The list of messages shows the other clients. */
const clientsShownMax = 8;

export function CorrespondentsOf({ recipient }: { readonly recipient: string }) {
  const seldom = { refreshEveryMs: 60_000 };
  const { data } = useResponse('showConversation', { person: recipient }, { limit: '100' }, seldom);
  return data === undefined || data.clients.length === 0 ? null : <Correspondents {...data} />;
}

export function Correspondents({ person, clients }: ResponseOf<'showConversation'>) {
  const left = clients.length - clientsShownMax;
  return (
    <>
      <KeyValuePairs
        columns={4}
        minColumnWidth={200}
        items={clients.slice(0, clientsShownMax).map((client) => ({
          label: (
            <Link
              href={linkTo('conversation', undefined, { client_id: client.client_id, recipient: person })}
            >
              Conversation with <ClientName id={client.client_id} />
            </Link>
          ),
          value: <SuppressionNote client={client} person={person} />,
        }))}
      />
      {left > 0 ? <Box>{`${left} more clients have conversations with this number.`}</Box> : null}
    </>
  );
}
