/** The placeholder for the gateway's own address in the API document, which is built before the address is known; describe-api replaces it. */
export const baseUrlMarker = 'https://base-url.invalid';

/** The API's stage: the first part of a path, where no domain name of the gateway's own is in front of it. */
export const apiStageName = 'live';
