/** Whether a client may write to a person: the suppression with its reason, and the WhatsApp window. */
import Link from '@cloudscape-design/components/link';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
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

interface SuppressionNoteProps {
  readonly clientId: string;
  readonly recipient: string;
  readonly suppression: SuppressionView | null;
}

export function SuppressionNote({ clientId, recipient, suppression }: SuppressionNoteProps) {
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
        <Link href={linkTo('clients', clientId, { recipient })} fontSize="body-s">
          Show suppression
        </Link>
      </Secondary>
    </>
  );
}

interface Reachable {
  readonly client_id: string;
  readonly suppression: SuppressionView | null;
  readonly window_expires_at: string | null;
}

/** @param hasWhatsApp - whether the client and the person use it */
export function reachability(client: Reachable, person: string, hasWhatsApp: boolean) {
  const { client_id, suppression, window_expires_at } = client;
  return {
    'Messages to this number': (
      <SuppressionNote clientId={client_id} recipient={person} suppression={suppression} />
    ),
    ...(hasWhatsApp ? { 'WhatsApp window': <WhatsAppWindow expiresAt={window_expires_at} /> } : {}),
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
