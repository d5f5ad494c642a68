/** One webhook: its body and attempts, with the endpoint's responses. It can be resent. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ContentLayout from '@cloudscape-design/components/content-layout';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useState } from 'react';
import type { DeliveryView, ResendResult } from '../../shared/admin/webhooks.ts';
import type { Attempt } from '../../shared/webhook/delivery.ts';
import { sentence, useLoaded, useRefresh } from '../api/use-loading.ts';
import { Code } from '../components/code.tsx';
import { LoadFailure } from '../components/load-failure.tsx';
import { resendNotice } from '../components/resend-notice.ts';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useDashboard } from '../context.ts';
import { linkTo } from '../route.ts';

export function WebhookPage({ id }: { readonly id: string }) {
  const { api, notify } = useDashboard();
  const loaded = useLoaded<DeliveryView>(id, () => api.get(`/webhooks/${encodeURIComponent(id)}`));
  const [sending, setSending] = useState(false);
  const webhook = loaded.data;
  const finished = webhook?.state === 'failed' || webhook?.state === 'acknowledged';
  useRefresh(webhook !== undefined && !finished, loaded.reload);

  const resend = async (): Promise<void> => {
    setSending(true);
    try {
      const { results } = await api.send<{ results: ResendResult[] }>('POST', '/webhooks/resend', {
        delivery_ids: [id],
        even_acknowledged: true,
      });
      const { type, text } = resendNotice(results);
      notify(type, text);
      loaded.reload();
    } catch (error) {
      notify('error', sentence(error));
    } finally {
      setSending(false);
    }
  };

  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          actions={
            <Button disabled={!finished} loading={sending} onClick={() => void resend()}>
              Resend
            </Button>
          }
        >
          {webhook === undefined ? 'Webhook' : `Webhook ${webhook.event}`}
        </Header>
      }
    >
      {loaded.error === undefined ? null : <LoadFailure error={loaded.error} onRetry={loaded.reload} />}
      {webhook === undefined ? loaded.loading && <Spinner /> : <Details webhook={webhook} />}
    </ContentLayout>
  );
}

function Details({ webhook }: { readonly webhook: DeliveryView }) {
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2">Delivery</Header>}>
        <KeyValuePairs
          columns={3}
          items={[
            { label: 'State', value: <State of={webhook.state} /> },
            { label: 'To', value: <Box variant="span">{webhook.url}</Box> },
            { label: 'webhook-id', value: webhook.delivery_id },
            {
              label: 'Message',
              value: <Link href={linkTo('messages', webhook.message_id)}>{webhook.message_id}</Link>,
            },
            {
              label: 'Client',
              value: <Link href={linkTo('clients', webhook.client_id)}>{webhook.client_id}</Link>,
            },
            {
              label: webhook.next_due_at === null ? 'Finished' : 'Next attempt',
              value: <Time at={webhook.next_due_at ?? webhook.finished_at} />,
            },
          ]}
        />
      </Container>
      <Container header={<Header variant="h2">Body</Header>}>
        <Code label="Body of every attempt" text={pretty(webhook.body)} />
      </Container>
      <Container header={<Header variant="h2">{`Attempts (${webhook.attempt_log.length})`}</Header>}>
        {webhook.attempt_log.length === 0 ? (
          <Box color="text-body-secondary">No attempts yet.</Box>
        ) : (
          webhook.attempt_log
            .toReversed()
            .map((attempt) => <OneAttempt key={attempt.number} attempt={attempt} />)
        )}
      </Container>
    </SpaceBetween>
  );
}

function OneAttempt({ attempt }: { readonly attempt: Attempt }) {
  const result = attempt.status === undefined ? (attempt.error ?? 'no response') : `status ${attempt.status}`;
  const by = { automatic: '', manual: ', resent manually', sweep: ', by the sweep' }[attempt.trigger];
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
            { label: 'Address', value: attempt.address ?? '–' },
            { label: 'Error', value: attempt.error_message ?? attempt.error ?? '–' },
            { label: 'DNS lookup', value: milliseconds(attempt.dns_ms) },
            { label: 'Connection', value: milliseconds(attempt.connect_ms) },
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
