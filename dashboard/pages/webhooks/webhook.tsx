/** One webhook: its body and attempts, with the endpoint's responses. It can be resent. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { Attempt } from '../../../shared/webhook/delivery.ts';
import type { DeliveryView } from '../../../shared/webhook/log/delivery-response.schema.ts';
import { useAnswer } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import { Code } from '../../components/code.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Loaded, Refresh } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { useResend } from '../../components/resend.ts';
import { isInProgress, State } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { linkTo } from '../../route.ts';

export function WebhookPage({ id }: { readonly id: string }) {
  const query = useAnswer('showWebhook', { delivery_id: id }, undefined, {
    inProgress: ({ state }) => isInProgress(state),
  });
  const resend = useResend({ even_acknowledged: true });
  const webhook = query.data;
  const isFinished = webhook?.state === 'failed' || webhook?.state === 'acknowledged';
  return (
    <Page
      title={webhook === undefined ? 'Webhook' : `Webhook ${webhook.event}`}
      description={<Copyable name="webhook id" text={id} />}
      actions={
        <SpaceBetween direction="horizontal" size="xs" alignItems="center">
          <Refresh query={query} />
          <Button disabled={!isFinished} loading={resend.isPending} onClick={() => resend.mutate([id])}>
            Resend
          </Button>
        </SpaceBetween>
      }
    >
      <Loaded query={query}>{(loaded) => <Details webhook={loaded} />}</Loaded>
    </Page>
  );
}

function Details({ webhook }: { readonly webhook: DeliveryView }) {
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2">Delivery</Header>}>
        <KeyValuePairs
          columns={3}
          minColumnWidth={200}
          items={[
            { label: 'Status', value: <State of={webhook.state} /> },
            { label: 'Endpoint', value: <Copyable name="endpoint" text={webhook.url} /> },
            { label: 'Created', value: <Time at={webhook.created_at} /> },
            {
              label: 'Message',
              value:
                webhook.message_id === null ? (
                  'None'
                ) : (
                  <Copyable name="message id" text={webhook.message_id}>
                    <Link href={linkTo('messages', webhook.message_id)}>{webhook.message_id}</Link>
                  </Copyable>
                ),
            },
            {
              label: 'Client',
              value: <ClientLink id={webhook.client_id} />,
            },
            {
              label: webhook.next_due_at === null ? 'Finished' : 'Next attempt',
              value: <Time at={webhook.next_due_at ?? webhook.finished_at} />,
            },
          ]}
        />
      </Container>
      <RequestBody body={webhook.body} />
      <Container header={<Header variant="h2">{`Attempts (${webhook.attempt_log.length})`}</Header>}>
        {webhook.attempt_log.length === 0 ? (
          <Box color="text-body-secondary">Nothing here yet: the first attempt is in progress.</Box>
        ) : (
          webhook.attempt_log
            .toReversed()
            .map((attempt) => <OneAttempt key={attempt.number} attempt={attempt} />)
        )}
      </Container>
    </SpaceBetween>
  );
}

const forms = [
  { id: 'formatted', text: 'Formatted' },
  { id: 'raw', text: 'Raw' },
];

/** Signatures are of the raw bytes. */
function RequestBody({ body }: { readonly body: string }) {
  const [form, setForm] = useState('formatted');
  return (
    <Container
      header={
        <Header
          variant="h2"
          actions={
            <SpaceBetween direction="horizontal" size="xs" alignItems="center">
              <SegmentedControl
                label="Form of the body"
                selectedId={form}
                options={forms}
                onChange={({ detail }) => setForm(detail.selectedId)}
              />
              <CopyToClipboard
                variant="icon"
                textToCopy={body}
                copyButtonAriaLabel="Copy raw body"
                copySuccessText="Copied"
                copyErrorText="Copying failed. Select the text instead."
              />
            </SpaceBetween>
          }
        >
          Request body
        </Header>
      }
    >
      <Code label="Request body of every attempt" text={form === 'raw' ? body : pretty(body)} />
    </Container>
  );
}

function OneAttempt({ attempt }: { readonly attempt: Attempt }) {
  const result = attempt.status === undefined ? (attempt.error ?? 'no response') : `HTTP ${attempt.status}`;
  const by = { automatic: '', manual: ', sent manually', sweep: ', found overdue and sent' }[attempt.trigger];
  return (
    <ExpandableSection
      headerText={`Attempt ${attempt.number}: ${attempt.error === undefined ? 'acknowledged' : 'not acknowledged'}`}
      headerDescription={`${result}, ${Math.round(attempt.total_ms)} ms${by}`}
    >
      <SpaceBetween size="m">
        <KeyValuePairs
          columns={3}
          items={[
            { label: 'Started', value: <Time at={attempt.started_at} /> },
            { label: 'IP address', value: attempt.address ?? '–' },
            { label: 'Error', value: attempt.error_message ?? attempt.error ?? '–' },
            { label: 'DNS lookup', value: milliseconds(attempt.dns_ms) },
            { label: 'Connect', value: milliseconds(attempt.connect_ms) },
            { label: 'First byte', value: milliseconds(attempt.first_byte_ms) },
          ]}
        />
        <Box variant="awsui-key-label">Request headers</Box>
        <Code label="Request headers" text={lines(attempt.request_headers)} />
        <Box variant="awsui-key-label">Response headers</Box>
        <Code label="Response headers" text={lines(attempt.response_headers)} />
        <Box variant="awsui-key-label">Response body</Box>
        <Code label="Response body" text={attempt.response_body} />
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
