// The reference of the API. Calls tried here go out with the reader's own session or token.
"use strict";
window.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("reference");
  const token = document.cookie.split("; ").find((one) => one.startsWith("csrftoken="));
  window.SwaggerUIBundle({
    url: place.dataset.schema,
    domNode: place,
    deepLinking: true,
    tryItOutEnabled: false,
    requestInterceptor(request) {
      if (token) request.headers["X-CSRFToken"] = token.split("=")[1];
      return request;
    },
  });
});
