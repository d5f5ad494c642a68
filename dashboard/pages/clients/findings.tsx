/** What is wrong with a client now, as `doctor` finds it, each with a link to where it is corrected. */
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { Finding } from '../../../shared/admin/diagnosis/diagnose-client.ts';
import { useResponse } from '../../api/queries.ts';
import { AllowOtps } from '../../components/allow-otps.tsx';
import { LoadFailure } from '../../components/loaded.tsx';
import { withLocalTimes } from '../../components/time.tsx';
import { linkTo } from '../../route.ts';

/** It reads more than other pages do, and changes slowly. */
const refreshMs = 60_000;

export function Findings({ clientId }: { readonly clientId: string }) {
  const query = useResponse('diagnoseClient', { client_id: clientId }, undefined, {
    refreshEveryMs: refreshMs,
  });
  const { data, error } = query;
  if (error !== null) return <LoadFailure query={query} />;
  if (data === undefined) return <StatusIndicator type="loading">Looking for problems</StatusIndicator>;
  if (data.findings.length === 0)
    return <StatusIndicator type="success">No problem was found.</StatusIndicator>;
  return (
    <Container header={<Header variant="h2">Needs attention</Header>}>
      <SpaceBetween size="xs">
        {data.findings.map((finding) => (
          <div key={finding.message}>
            <StatusIndicator type={finding.severity === 'problem' ? 'error' : 'warning'}>
              <span className="sentence">{withLocalTimes(finding.message)}</span>
            </StatusIndicator>{' '}
            <Remedy clientId={clientId} finding={finding} />
          </div>
        ))}
      </SpaceBetween>
    </Container>
  );
}

function Remedy({ clientId, finding }: { readonly clientId: string; readonly finding: Finding }) {
  const { about, country } = finding;
  if (country !== undefined) return <AllowOtps clientId={clientId} country={country} />;
  const tab = (name: string): string => linkTo('clients', clientId, { tab: name });
  switch (about) {
    case 'webhooks':
      return <Link href={tab('webhooks')}>Show endpoints</Link>;
    case 'limits':
      return <Link href={linkTo('limits', clientId)}>Show limits</Link>;
    case 'caps':
      return <Link href={tab('limits')}>Show what is used</Link>;
    case 'messages':
      return (
        <Link href={linkTo('messages', undefined, { client_id: clientId, status: 'failed' })}>
          Show messages
        </Link>
      );
    case 'suppressions':
      return <Link href={tab('suppressions')}>Show suppressions</Link>;
    default:
      return <Link href={tab('credentials')}>Show credentials</Link>;
  }
}
