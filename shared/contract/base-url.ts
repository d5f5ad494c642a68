/** The placeholder for the gateway's own address in the API document, which is built before the address is known; describe-api replaces it. */
export const baseUrlMarker = 'https://base-url.invalid';
