/** How one of a client's endpoints has answered: acknowledged and failed attempts, and how long they took. */
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { lazy, useState } from 'react';
import type { OriginHealth } from '../../../shared/admin/webhook-health.ts';
import { chartColours } from '../../components/chart-series.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { Fields } from '../../components/filters.tsx';
import { RenderFailure } from '../../components/render-failure.tsx';
import { Section } from '../../components/section.tsx';
import { numberText, percent } from '../../value-names.ts';

const TimeChart = lazy(() => import('../../components/time-chart.tsx'));

/** @param endpoints - failing ones first */
export function EndpointCharts({ endpoints }: { readonly endpoints: readonly OriginHealth[] }) {
  const [chosen, setChosen] = useState<string>();
  const tried = endpoints.filter(({ history }) => history.points.length > 0);
  const shown = tried.find(({ origin }) => origin === chosen) ?? tried[0];
  if (shown === undefined) return null;
  return (
    <Section title="Webhook attempts">
      <SpaceBetween size="m">
        {tried.length === 1 ? (
          <span className="id">{shown.origin}</span>
        ) : (
          <ChoiceField
            label="Endpoint"
            value={shown.origin}
            options={tried.map(({ origin }) => ({ value: origin }))}
            onChange={setChosen}
          />
        )}
        <RenderFailure isPart>
          <Charts {...shown} />
        </RenderFailure>
      </SpaceBetween>
    </Section>
  );
}

function Charts({ origin, history: { step, points }, success_rate }: OriginHealth) {
  const common = { step, steps: points.map(({ at }) => new Date(at)) };
  const { good, better, bad } = chartColours;
  return (
    <Fields perRow={2}>
      <div>
        <Header variant="h3">Success rate: {percent(success_rate)}</Header>
        <TimeChart
          {...common}
          title={`Attempts at ${origin}`}
          unit="Attempts"
          series={[
            { title: 'Acknowledged', color: good, values: points.map(({ acknowledged }) => acknowledged) },
            { title: 'Failed', color: bad, values: points.map(({ failed }) => failed) },
          ]}
        />
      </div>
      <div>
        <Header variant="h3">Latency, average</Header>
        <TimeChart
          {...common}
          title={`Latency of ${origin}`}
          unit="Milliseconds"
          series={[
            { title: 'Latency', color: better, values: points.map(({ latency_ms }) => latency_ms ?? 0) },
          ]}
          text={(ms) => `${numberText(ms)} ms`}
        />
      </div>
    </Fields>
  );
}
