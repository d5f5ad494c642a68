/** Whether a client may write to a person: the suppression with its reason, and the WhatsApp window. */
import Box from '@cloudscape-design/components/box';
import Link from '@cloudscape-design/components/link';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import type { SuppressionView } from '../../shared/message/suppression/suppression-response.schema.ts';
import { linkTo } from '../route.ts';
import { Time } from './time.tsx';

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
      <Note>
        {scopeNames[scope]}. By the {sourceNames[source].toLowerCase()}, since <Time at={created_at} />
        {reason === null ? null : (
          <span className="written" dir="auto">
            {reason}
          </span>
        )}
        <Link href={linkTo('clients', clientId, { recipient })} fontSize="body-s">
          Show suppression
        </Link>
      </Note>
    </>
  );
}

export function WhatsAppWindow({ expiresAt }: { readonly expiresAt: string | null | undefined }) {
  if (expiresAt === null || expiresAt === undefined || Date.parse(expiresAt) <= Date.now()) {
    return (
      <>
        <StatusIndicator type="stopped">closed</StatusIndicator>
        <Note>Only templates are delivered until the person writes.</Note>
      </>
    );
  }
  return (
    <>
      <StatusIndicator type="success">open</StatusIndicator>
      <Note>
        Until <Time at={expiresAt} />
      </Note>
    </>
  );
}

function Note({ children }: { readonly children: ReactNode }) {
  return (
    <Box color="text-body-secondary" fontSize="body-s">
      {children}
    </Box>
  );
}
