/** How the dashboard words what is refused: beside the fields of a form, or for the whole. */
import { describe, expect, it } from '@jest/globals';
import { ApiError, fieldError, formError } from '../../../dashboard/api/api-error.ts';

describe('a refused form', () => {
  const refusal = new ApiError(400, 'webhook_url: must be an https URL. One more fault is in details.', [
    { field: 'webhook_url', message: 'must be an https URL' },
    { field: 'countries[1]', message: 'is no country' },
  ]);

  it('has each error at its field, with the number of the item in a list', () => {
    expect(fieldError(refusal, 'webhook_url')).toBe('Must be an https URL.');
    expect(fieldError(refusal, 'countries')).toBe('Number 2 is no country.');
    expect(fieldError(refusal, 'name')).toBeUndefined();
    expect(formError(refusal, ['name', 'countries'])).toBeUndefined();
  });

  it('has the error of the whole where none of its fields shows it', () => {
    expect(formError(refusal, ['name'])).toBe(
      'Webhook URL must be an https URL. Countries[1] is no country.',
    );
    expect(formError(new Error('No connection.'), ['name'])).toBe('No connection.');
    expect(formError(null, ['name'])).toBeUndefined();
  });
});
