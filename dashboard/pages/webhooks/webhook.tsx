/** One webhook: its body and attempts, with the endpoint's responses. It can be resent. */

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Link from '@cloudscape-design/components/link';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type * as z from 'zod/mini';
import type { Attempt } from '../../../shared/webhook/attempt-record.ts';
import type { deliveryViewSchema } from '../../../shared/webhook/webhook-response.schema.ts';
import { useChange, useResponse } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { isInProgress, State } from '../../components/state.tsx';
import { Code, Copyable, CopyButton, Time } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo } from '../../route.ts';

export function WebhookPage({ id }: { readonly id: string }) {
  const query = useResponse('showWebhook', { delivery_id: id }, undefined, {
    inProgress: ({ state }) => isInProgress(state),
  });
  const { api, notify } = useDashboard();
  const resend = useChange({
    mutationFn: () => api.send('resendWebhook', { delivery_id: id }),
    onSuccess: ({ outcome }) =>
      notify(
        'success',
        outcome === 'already_waiting'
          ? 'The webhook is already waiting for its next attempt.'
          : 'The webhook is being resent.',
      ),
  });
  const webhook = query.data;
  const isFinished = webhook?.next_due_at === null;
  return (
    <Page
      title={webhook === undefined ? 'Webhook' : `Webhook ${webhook.event}`}
      description={<Copyable name="webhook id" text={id} />}
      query={query}
      clientId={webhook?.client_id}
      actions={
        <Button disabled={!isFinished} loading={resend.isPending} onClick={() => resend.mutate()}>
          Resend
        </Button>
      }
    >
      <Loaded query={query}>{(loaded) => <Details webhook={loaded} />}</Loaded>
    </Page>
  );
}

function Details({ webhook }: { readonly webhook: Readonly<z.output<typeof deliveryViewSchema>> }) {
  return (
    <SpaceBetween size="l">
      <Section title="Delivery">
        <Facts
          columns={3}
          facts={{
            Status: <State of={webhook.state} />,
            Endpoint: <Copyable name="endpoint" text={webhook.url} />,
            Created: <Time at={webhook.created_at} />,
            Message:
              webhook.message_id === null ? (
                'None'
              ) : (
                <Copyable name="message id" text={webhook.message_id}>
                  <Link href={linkTo('messages', webhook.message_id)}>{webhook.message_id}</Link>
                </Copyable>
              ),
            Client: <ClientLink id={webhook.client_id} />,
            [webhook.next_due_at === null ? 'Finished' : 'Next attempt']: (
              <Time at={webhook.next_due_at ?? webhook.finished_at} />
            ),
          }}
        />
      </Section>
      <RequestBody body={webhook.body} />
      <Section title={`Attempts (${webhook.attempt_log.length})`}>
        {webhook.attempt_log.length === 0 ? (
          <Box color="text-body-secondary">
            {webhook.state === 'skipped'
              ? 'Nothing was posted, because the endpoint was disabled. Enable it, then resend the webhook.'
              : 'Nothing here yet: the first attempt is in progress.'}
          </Box>
        ) : (
          webhook.attempt_log
            .toReversed()
            .map((attempt) => <OneAttempt key={attempt.number} attempt={attempt} />)
        )}
      </Section>
    </SpaceBetween>
  );
}

const forms = [
  { id: 'formatted', text: 'Formatted' },
  { id: 'raw', text: 'Raw' },
];

/** Shows the raw body, because the signature covers the raw bytes. */
function RequestBody({ body }: { readonly body: string }) {
  const [form, setForm] = useState('formatted');
  return (
    <Section
      title="Request body"
      actions={
        <SpaceBetween direction="horizontal" size="xs" alignItems="center">
          <SegmentedControl
            label="Form of the body"
            selectedId={form}
            options={forms}
            onChange={({ detail }) => setForm(detail.selectedId)}
          />
          <CopyButton name="raw body" text={body} />
        </SpaceBetween>
      }
    >
      <Code label="Request body of every attempt" text={form === 'raw' ? body : pretty(body)} />
    </Section>
  );
}

function OneAttempt({ attempt }: { readonly attempt: Attempt }) {
  const result = attempt.status === undefined ? (attempt.error ?? 'no response') : `HTTP ${attempt.status}`;
  const by = { automatic: '', manual: ', sent manually' }[attempt.trigger];
  return (
    <ExpandableSection
      headerText={`Attempt ${attempt.number}: ${attempt.error === undefined ? 'acknowledged' : 'not acknowledged'}`}
      headerDescription={`${result}, ${Math.round(attempt.total_ms)} ms${by}`}
    >
      <SpaceBetween size="m">
        <Facts
          columns={3}
          facts={{
            Started: <Time at={attempt.started_at} />,
            'IP address': attempt.address,
            Error: attempt.error_message ?? attempt.error,
            'DNS lookup': milliseconds(attempt.dns_ms),
            Connect: milliseconds(attempt.connect_ms),
            'First byte': milliseconds(attempt.first_byte_ms),
          }}
        />
        {Object.entries({
          'Request headers': lines(attempt.request_headers),
          'Response headers': lines(attempt.response_headers),
          'Response body': attempt.response_body,
        }).map(([label, text]) => (
          <div key={label}>
            <Box variant="awsui-key-label">{label}</Box>
            <Code label={label} text={text} />
          </div>
        ))}
      </SpaceBetween>
    </ExpandableSection>
  );
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? '–' : `${Math.round(value * 10) / 10} ms`;
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
