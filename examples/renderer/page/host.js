const { embeddedBy } = document.documentElement.dataset;

/** Says whether the site that may embed this page has put it into a frame. */
export const isEmbedded = parent !== window && embeddedBy !== '';

/**
 * Asks the page around this one for a token. Only a page of EMBEDDED_BY gets the question, and only its answer counts.
 * @param renew whether the last token was refused
 * @returns null if the viewer may see no dashboard now
 */
export function askHost(renew) {
  return new Promise((settle) => {
    const hear = ({ source, origin, data }) => {
      if (source !== parent || origin !== embeddedBy || data.type !== 'token') return;
      removeEventListener('message', hear);
      settle(data.userGroupToken);
    };
    addEventListener('message', hear);
    parent.postMessage({ type: 'token-wanted', renew }, embeddedBy);
  });
}
