/** The figures of this deployment, as a function's environment names their table. */
import { dynamo } from '../aws.ts';
import { systemClock } from '../clock.ts';
import { readEnvironment } from '../env.ts';
import { logWarning } from '../log.ts';
import type { FigureParts } from './count-figures.ts';
import { dynamoFigureCounter } from './figures.dynamo.ts';

export function figuresFromEnvironment(): FigureParts {
  const { FIGURES_TABLE } = readEnvironment(['FIGURES_TABLE']);
  return { counter: dynamoFigureCounter(dynamo(), FIGURES_TABLE), clock: systemClock, warn: logWarning };
}
