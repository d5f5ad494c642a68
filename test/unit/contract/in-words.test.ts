import { expect, it } from '@jest/globals';
import { inWords } from '../../../shared/platform/clock.ts';

it('names times in the largest whole unit', () => {
  expect(inWords([1, 90, 60, 7200, 259_200])).toBe('1 second, 90 seconds, 1 minute, 2 hours and 3 days');
});
