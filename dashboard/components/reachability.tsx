/** Shows if a client may send to a recipient: the suppression with its reason, and the WhatsApp window. */

import Link from '@cloudscape-design/components/link';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ResponseOf } from '../../shared/admin/http/admin-operations.ts';
import type { SuppressionView } from '../../shared/message/message-response.schema.ts';
import { linkTo } from '../route.ts';
import { Secondary, Time, Written } from './text.tsx';

export const scopeNames = {
  messages: 'Messages, but not one-time passwords',
  all: 'All, also one-time passwords',
} as const satisfies Record<SuppressionView['scope'], string>;

export const sourceNames = {
  keyword: 'Recipient',
  carrier: 'Carrier',
  client: 'Client',
  admin: 'Administrator',
} as const satisfies Record<SuppressionView['source'], string>;

type Client = NonNullable<ResponseOf<'showMessage'>['client']>;

function SuppressionNote({
  client: { client_id, suppression },
  person,
}: {
  readonly client: Client;
  readonly person: string;
}) {
  if (suppression === null) {
    return (
      <StatusIndicator type="success" wrapText={false}>
        not suppressed
      </StatusIndicator>
    );
  }
  const { scope, source, reason, created_at } = suppression;
  return (
    <>
      <StatusIndicator type="stopped" wrapText={false}>
        suppressed
      </StatusIndicator>
      <Secondary>
        {scopeNames[scope]}. By the {sourceNames[source].toLowerCase()}, since <Time at={created_at} />
        <Written text={reason} />
        <Link href={linkTo('clients', client_id, { recipient: person })} fontSize="body-s">
          Show suppression
        </Link>
      </Secondary>
    </>
  );
}

/** @param hasWhatsApp - true if the client and the recipient use WhatsApp */
export function reachability(client: Client, person: string, hasWhatsApp: boolean) {
  return {
    'Messages to this number': <SuppressionNote client={client} person={person} />,
    ...(hasWhatsApp ? { 'WhatsApp window': <WhatsAppWindow expiresAt={client.window_expires_at} /> } : {}),
  };
}

function WhatsAppWindow({ expiresAt }: { readonly expiresAt: string | null }) {
  if (expiresAt === null || Date.parse(expiresAt) <= Date.now()) {
    return (
      <>
        <StatusIndicator type="stopped">closed</StatusIndicator>
        <Secondary>Only templates are delivered until the person writes.</Secondary>
      </>
    );
  }
  return (
    <>
      <StatusIndicator type="success">open</StatusIndicator>
      <Secondary>
        Until <Time at={expiresAt} />
      </Secondary>
    </>
  );
}
