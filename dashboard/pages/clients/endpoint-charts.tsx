/** How one of a client's endpoints has answered: acknowledged and failed attempts, and how long they took. */
import Container from '@cloudscape-design/components/container';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { lazy, Suspense, useState } from 'react';
import type { OriginHealth } from '../../../shared/admin/webhook-health.ts';
import { chartColours } from '../../components/chart-series.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { Waiting } from '../../components/loaded.tsx';
import { RenderFailure } from '../../components/render-failure.tsx';
import { percent } from '../../value-names.ts';

const TimeChart = lazy(() => import('../../components/time-chart.tsx'));

/** @param endpoints - failing ones first */
export function EndpointCharts({ endpoints }: { readonly endpoints: readonly OriginHealth[] }) {
  const [chosen, setChosen] = useState<string>();
  const tried = endpoints.filter(({ history }) => history.points.length > 0);
  const shown = tried.find(({ origin }) => origin === chosen) ?? tried[0];
  if (shown === undefined) return null;
  return (
    <Container header={<Header variant="h2">Webhook attempts</Header>}>
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
          <Suspense fallback={<Waiting />}>
            <Charts {...shown} />
          </Suspense>
        </RenderFailure>
      </SpaceBetween>
    </Container>
  );
}

function Charts({ origin, history: { step, points }, success_rate }: OriginHealth) {
  const steps = points.map(({ at }) => new Date(at));
  const series = (title: string, color: string, amountOf: (point: (typeof points)[number]) => number) => ({
    title,
    color,
    data: points.map((point, index) => ({ x: steps[index] ?? new Date(0), y: amountOf(point) })),
  });
  const common = { step, steps, isLoading: false };
  return (
    <Grid gridDefinition={[{ colspan: { default: 12, s: 6 } }, { colspan: { default: 12, s: 6 } }]}>
      <div>
        <Header variant="h3">Success rate: {percent(success_rate)}</Header>
        <TimeChart
          {...common}
          title={`Attempts at ${origin}`}
          unit="Attempts"
          series={[
            series('Acknowledged', chartColours.good, ({ acknowledged }) => acknowledged),
            series('Failed', chartColours.bad, ({ failed }) => failed),
          ]}
        />
      </div>
      <div>
        <Header variant="h3">Latency, average</Header>
        <TimeChart
          {...common}
          title={`Latency of ${origin}`}
          unit="Milliseconds"
          series={[series('Latency', chartColours.better, ({ latency_ms }) => latency_ms ?? 0)]}
          text={(ms) => `${ms.toLocaleString()} ms`}
        />
      </div>
    </Grid>
  );
}
