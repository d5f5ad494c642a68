/** The API as callers reach it: its version and its address. */

/** The version of the gateway; a test compares it with package.json. */
export const version = '0.1.0';

/**
 * The placeholder for the gateway's own address in the API document, which is built before the address is known; describe-api
 * replaces it.
 */
export const baseUrlMarker = 'https://base-url.invalid';

/** The API's stage: the first part of the path, unless the gateway has its own domain name. */
export const apiStageName = 'live';
