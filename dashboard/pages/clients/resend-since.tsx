/**
 * Resends every failed webhook of an endpoint since a time. Shows their number, then the progress. The gateway continues if the
 * user leaves the page.
 */
import ProgressBar from '@cloudscape-design/components/progress-bar';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { ResendView } from '../../../shared/webhook/webhook-response.schema.ts';
import { useResponse } from '../../api/queries.ts';
import { FormDialog, useForm } from '../../components/form.tsx';
import { DateTimeField } from '../../components/form-fields.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { numberText } from '../../value-names.ts';

const hour = 3_600_000;

/**
 * The default begins an hour before the endpoint started to fail, because a webhook is created before its first attempt.
 */
function firstSince(failingSince: string | null): string {
  const at = failingSince === null ? Date.now() - 24 * hour : Date.parse(failingSince) - hour;
  return new Date(at).toISOString().replace(/:\d\d\.\d{3}Z$/, ':00Z');
}

export function ResendSince({
  clientId,
  origin,
  failingSince,
  onStarted,
  onClose,
}: {
  readonly clientId: string;
  readonly origin: string;
  /** The time at which the endpoint began to fail, if known. */
  readonly failingSince: string | null;
  readonly onStarted: (resend: ResendView) => void;
  readonly onClose: () => void;
}) {
  const { api } = useDashboard();
  const [first] = useState(() => ({ since: firstSince(failingSince) }));
  const path = { client_id: clientId };
  const form = useForm({
    first,
    send: (entered) => api.send('resendWebhookDeliveries', path, { origin, ...entered }),
    onSent: onStarted,
    onClose,
  });
  const { since } = form.values;
  const isTime = !Number.isNaN(Date.parse(since)) && since.endsWith('Z');
  const counted = useResponse('countFailedWebhooks', path, { origin, since }, { enabled: isTime }).data;
  const isComplete = isTime && counted?.count !== 0;
  return (
    <FormDialog title="Resend all failed webhooks" action="Resend" form={form} isComplete={isComplete}>
      <div>
        Every webhook to <span className="id">{origin}</span> that was created since then and has failed is
        sent again.
      </div>
      <DateTimeField
        {...form.field('since')}
        label="Since"
        description={
          failingSince === null
            ? 'The last 24 hours.'
            : 'By default an hour before the endpoint began to fail.'
        }
      />
      <div aria-live="polite">{isTime ? countText(counted) : null}</div>
    </FormDialog>
  );
}

function countText(counted: { readonly count: number; readonly more: boolean } | undefined) {
  if (counted === undefined) return <StatusIndicator type="loading">Counting the webhooks</StatusIndicator>;
  const { count, more } = counted;
  if (count === 0)
    return <StatusIndicator type="info">No webhook that was created since then has failed.</StatusIndicator>;
  const number = `${numberText(count)}${more ? ' or more' : ''}`;
  return (
    <StatusIndicator type="info">
      {count === 1 && !more ? 'One webhook is sent again.' : `${number} webhooks are sent again.`}
    </StatusIndicator>
  );
}

export function ResendState({ clientId, started }: { clientId: string; started: ResendView }) {
  const path = { client_id: clientId, resend_id: started.resend_id };
  const { data = started } = useResponse('showWebhookResend', path, undefined, {
    inProgress: ({ status }) => status !== 'completed',
  });
  const { status, resent, matched, skipped, origin } = data;
  const left = skipped > 0 ? `, ${numberText(skipped)} skipped` : '';
  if (status === 'completed') {
    return (
      <StatusIndicator type="success">
        {`${numberText(resent)} of ${numberText(matched)} resent${left}`}
      </StatusIndicator>
    );
  }
  return (
    <ProgressBar
      label="Resending webhooks"
      value={matched === 0 ? 0 : Math.round((100 * (resent + skipped)) / matched)}
      description={`${numberText(resent + skipped)} of ${numberText(matched)} resent`}
      additionalInfo={`To ${origin ?? 'all endpoints'}. It goes on if you leave this page.`}
    />
  );
}
