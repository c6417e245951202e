//! How a WQE ended.
use hca_hdl::prelude::*;
use hca_host::cqe;

constants!(
    /// Statuses of completions (`host::cqe`, `protocol/qp_cq.md` section 5).
    pub struct CqeStatuses: 8 {
        success = cqe::SUCCESS,
        loc_len_err = cqe::LOC_LEN_ERR,
        loc_qp_op_err = cqe::LOC_QP_OP_ERR,
        loc_prot_err = cqe::LOC_PROT_ERR,
        wr_flush_err = cqe::WR_FLUSH_ERR,
        bad_resp_err = cqe::BAD_RESP_ERR,
        rem_inv_req_err = cqe::REM_INV_REQ_ERR,
        rem_access_err = cqe::REM_ACCESS_ERR,
        rem_op_err = cqe::REM_OP_ERR,
        retry_exc_err = cqe::RETRY_EXC_ERR,
        rnr_retry_exc_err = cqe::RNR_RETRY_EXC_ERR,
    }
);
